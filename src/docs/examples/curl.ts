import { literal, type Syntax } from './literals.ts';
import { type ExampleRequest, urlOf } from './request.ts';

const JSON_TEXT: Syntax = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  assign: ': ',
  map: ['{', '}'],
  emptyMap: '{}',
  words: { true: 'true', false: 'false', null: 'null' },
  hasSpaces: true,
  hasTrailingComma: false,
  indent: 2,
};

/** Writes a command of curl for a POSIX shell. */
export function curlExample(request: ExampleRequest): string {
  const { method, credential, body, answer } = request;
  const options = [
    ...Object.entries(credential).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(literal(body, JSON_TEXT))}`]),
    ...(answer.kind === 'file' ? [`-o ${quoted(answer.name)}`] : []),
  ];
  const flags = `${answer.kind === 'events' ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`}`;
  return [`curl${flags} ${quoted(urlOf(request))}`, ...options].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
