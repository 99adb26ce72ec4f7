import { literal, type Syntax } from './literals.ts';
import type { ExampleRequest } from './request.ts';

const PYTHON: Syntax = {
  // Escapes of JSON are escapes of Python.
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  assign: ': ',
  map: ['{', '}'],
  emptyMap: '{}',
  words: { true: 'True', false: 'False', null: 'None' },
  hasSpaces: false,
  hasTrailingComma: true,
  indent: 4,
};

/** Time limit of a request, in s; without one, `requests` waits forever. */
const TIMEOUT_SECONDS = 60;

/** Writes a program that uses the package `requests`. */
export function pythonExample(request: ExampleRequest): string {
  const { method, url, query, credential, body, answer } = request;
  const written = (value: unknown) => literal(value, PYTHON, 1);
  const options = [
    written(url),
    ...(Object.keys(credential).length === 0 ? [] : [`headers=${written(credential)}`]),
    ...(Object.keys(query).length === 0 ? [] : [`params=${written(query)}`]),
    ...(body === undefined ? [] : [`json=${written(body)}`]),
    ...(answer.kind === 'events' ? ['stream=True'] : [`timeout=${TIMEOUT_SECONDS}`]),
  ];
  return [
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...options.map((option) => `    ${option},`),
    ')',
    'response.raise_for_status()',
    ...endOf(answer),
    '',
  ].join('\n');
}

/** Lines after the request, by the kind of the response. */
const ENDS = {
  none: [],
  json: ['print(response.json())'],
  text: ['print(response.text)'],
  events: ['for line in response.iter_lines(decode_unicode=True):', '    print(line)'],
} as const;

function endOf(answer: ExampleRequest['answer']): readonly string[] {
  if (answer.kind !== 'file') return ENDS[answer.kind];
  return [
    `with open(${JSON.stringify(answer.name)}, "wb") as file:`,
    '    file.write(response.content)',
  ];
}
