import { literal, type Syntax } from './literals.ts';
import type { ExampleRequest } from './request.ts';

const TYPESCRIPT: Syntax = {
  text: quoted,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)),
  assign: ': ',
  map: ['{', '}'],
  emptyMap: '{}',
  words: { true: 'true', false: 'false', null: 'null' },
  hasSpaces: true,
  hasTrailingComma: true,
  indent: 2,
};

/** Writes a module that uses the package of `clients/typescript`. */
export function typescriptExample(request: ExampleRequest): string {
  const { operationId, baseUrl, answer, isPaged, hasKey } = request;
  const [, key = ''] = (request.credential['Authorization'] ?? '').split(' ');
  const imports = ['connect', operationId, ...(isPaged ? ['paginate'] : [])].toSorted();
  const connection = literal({ baseUrl, apiKey: hasKey ? key : '' }, TYPESCRIPT);
  return [
    ...(answer.kind === 'file' ? ["import { writeFile } from 'node:fs/promises';"] : []),
    `import { ${imports.join(', ')} } from 'shortlinks-client';`,
    '',
    `const client = connect(${connection});`,
    callOf(request),
    '',
  ].join('\n');
}

function callOf(request: ExampleRequest): string {
  const { operationId, answer, isPaged } = request;
  const options = optionsOf(request);
  if (isPaged) {
    return `for await (const record of paginate(${operationId}, ${options})) {\n  console.log(record);\n}`;
  }
  const call = `await ${operationId}(${options});`;
  if (answer.kind === 'none') return call;
  if (answer.kind === 'events') {
    return `const { stream } = ${call}\nfor await (const event of stream) {\n  console.log(event);\n}`;
  }
  let use = 'console.log(data);';
  if (answer.kind === 'file') {
    use = `await writeFile(${quoted(answer.name)}, Buffer.from(await data.arrayBuffer()));`;
    if (answer.isOptional) use = `if (data instanceof Blob) {\n  ${use}\n}`;
  }
  return `const { data } = ${call}\n${use}`;
}

/** Writes the parameters of a function; `client` is the connection. */
function optionsOf({ path, query, body, hasKey, credential }: ExampleRequest): string {
  const parts = {
    ...(hasKey || Object.keys(credential).length === 0 ? {} : { headers: credential }),
    ...(Object.keys(path).length === 0 ? {} : { path }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  };
  const entries = Object.entries(parts);
  const line = ['client', ...entries.map(([name, one]) => `${name}: ${literal(one, TYPESCRIPT)}`)];
  const inOneLine = `{ ${line.join(', ')} }`;
  if (!inOneLine.includes('\n') && inOneLine.length <= 60) return inOneLine;
  const lines = entries.map(([name, one]) => `  ${name}: ${literal(one, TYPESCRIPT, 1)},\n`);
  return `{\n  client,\n${lines.join('')}}`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${inner.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`;
}
