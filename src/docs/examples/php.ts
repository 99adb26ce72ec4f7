import { literal, type Syntax } from './literals.ts';
import { type ExampleRequest, urlOf } from './request.ts';

const PHP: Syntax = {
  text: quoted,
  key: quoted,
  assign: ' => ',
  map: ['[', ']'],
  // An empty array would be a list of JSON.
  emptyMap: 'new stdClass()',
  words: { true: 'true', false: 'false', null: 'null' },
  hasSpaces: false,
  hasTrailingComma: true,
  indent: 4,
};

/** Writes a program that uses the extension `curl` of PHP. */
export function phpExample(request: ExampleRequest): string {
  const { method, credential, body, answer } = request;
  const headers = [
    ...Object.entries(credential).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => ${quoted(method)}`]),
    ...(headers.length === 0 ? [] : [`CURLOPT_HTTPHEADER => ${literal(headers, PHP, 1)}`]),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => json_encode(${literal(body, PHP, 1)})`]),
    // Without it, PHP prints the response as it arrives.
    ...(answer.kind === 'events' ? [] : ['CURLOPT_RETURNTRANSFER => true']),
  ];
  return [
    '<?php',
    '',
    `$request = curl_init(${quoted(urlOf(request))});`,
    ...(options.length === 0
      ? []
      : ['curl_setopt_array($request, [', ...options.map((option) => `    ${option},`), ']);']),
    ...endOf(answer),
    '',
  ].join('\n');
}

/** Lines that send the request, by the kind of the response. */
const ENDS = {
  none: ['curl_exec($request);'],
  json: ['$response = curl_exec($request);', 'print_r(json_decode($response, true));'],
  text: ['echo curl_exec($request);'],
  events: ['curl_exec($request);'],
} as const;

function endOf(answer: ExampleRequest['answer']): readonly string[] {
  if (answer.kind !== 'file') return ENDS[answer.kind];
  return [`file_put_contents(${quoted(answer.name)}, curl_exec($request));`];
}

/** Writes a text between single quotes, where PHP replaces no variable. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
