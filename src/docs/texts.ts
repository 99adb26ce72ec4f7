import type { Guide } from './guides.ts';
import { type DocsPage, filePage } from './layout.ts';
import { beginning } from './pages.ts';
import type { SearchedDocument } from './search.ts';

/*
 * Documentation for programs that read text, such as agents: each guide in Markdown, a list of them
 * (`/llms.txt`, in the format of https://llmstxt.org), and all of them in one file.
 */

/** Groups of guides that a reader with little room may leave out, as the format names them. */
const OPTIONAL = ['Operate', 'Inside', 'Decisions'];

/** Maximum length of the summary of a guide in the list, in characters. */
const MAX_SUMMARY = 200;

/** Makes the texts by address. @param baseUrl URL of the API, in front of every address */
export function textsOf(
  guides: readonly Guide[],
  document: SearchedDocument,
  baseUrl: string,
): [address: string, text: DocsPage][] {
  const absolute = guides.map((guide) => ({
    ...guide,
    markdown: guide.markdown.replaceAll('](/', `](${baseUrl}/`),
  }));
  const operations = operationsOf(document);
  return [
    ['/llms.txt', filePage('text/plain', listOf(absolute, baseUrl))],
    ['/llms-full.txt', filePage('text/plain', allOf(absolute, operations, baseUrl))],
    ...absolute.map(({ name, markdown }): [string, DocsPage] => [
      `/docs/${name}.md`,
      filePage('text/markdown', markdown),
    ]),
  ];
}

const introductionOf = (baseUrl: string): string => `# Short links and QR codes

> A REST API for short links, QR codes, custom domains, conversion tracking and analytics.

- The base URL is ${baseUrl}. Requests have the header \`Authorization: Bearer <API_KEY>\`.
- [Every operation with its fields, limits and errors](${baseUrl}/openapi.json), as OpenAPI 3.1.
- [A server of the Model Context Protocol](${baseUrl}/docs/mcp.md): ${baseUrl}/mcp.
- Add \`.md\` to the URL of a guide for its Markdown.
`;

/** Makes the list of guides. */
function listOf(guides: readonly Guide[], baseUrl: string): string {
  const lines = (isListed: (guide: Guide) => boolean) =>
    guides
      .filter(isListed)
      .map(({ name, title, summary }) => {
        const address = `${baseUrl}/docs/${name}.md`;
        return `- [${title}](${address}): ${firstSentence(summary)}\n`;
      })
      .join('');
  const groups = [...new Set(guides.map(({ group }) => group))];
  const sections = groups
    .filter((name) => !OPTIONAL.includes(name))
    .map((name) => `\n## ${name}\n\n${lines(({ group }) => group === name)}`);
  const optional = `\n## Optional\n\n${lines(({ group }) => OPTIONAL.includes(group))}`;
  const all = `- [All guides and operations in one file](${baseUrl}/llms-full.txt)\n`;
  return `${introductionOf(baseUrl)}${all}${sections.join('')}${optional}`;
}

/** Joins all guides, after a list of the operations. */
const allOf = (guides: readonly Guide[], operations: string, baseUrl: string): string =>
  [
    `${introductionOf(baseUrl)}\n## Operations\n\n${operations}`,
    ...guides.map(({ name, markdown }) => `Source: ${baseUrl}/docs/${name}.md\n\n${markdown}`),
  ].join('\n---\n\n');

const operationsOf = ({ paths }: SearchedDocument): string =>
  Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { operationId, summary }]) =>
          `- \`${method.toUpperCase()} ${path}\` (${operationId}): ${summary}\n`,
      ),
    )
    .join('');

function firstSentence(summary: string): string {
  const line = summary.replaceAll(/\s+/g, ' ').trim().replace(/:$/, '.');
  const end = line.indexOf('. ');
  return beginning(end === -1 ? line : line.slice(0, end + 1), MAX_SUMMARY);
}
