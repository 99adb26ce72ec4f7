import ipaddr from 'ipaddr.js';
import { type NetworkSection, rangeOf } from './networks.ts';

/** Time limit for a list, in ms. */
const LIST_MS = 60_000;
/** The lists of Azure have a new URL every week, which the page of the download names. */
const AZURE_LIST =
  /https:\/\/download\.microsoft\.com\/[\w\-/]{1,200}\/ServiceTags_Public_\d{1,12}\.json/;
/** Networks in CIDR notation in any list: JSON, CSV or text. */
const NETWORK = /(?<![\w.:])[\da-f:.]{3,45}\/\d{1,3}(?!\w)/gi;

/** Outcome of a section. */
interface RefreshedSection {
  owner: string;
  networks: number;
  outcome: 'downloaded' | 'kept';
}

interface DownloadOptions {
  fetch: (url: string, options: { signal: AbortSignal }) => Promise<Response>;
  /** Receives a line for each list that was not downloaded. */
  log(line: string): void;
  now: Date;
}

/**
 * Downloads the lists that sections name as their source. A section without one, or whose list
 * cannot be downloaded, stays as it is.
 *
 * @returns the text of a new file, and what became of each section
 */
export async function downloadNetworks(
  present: readonly NetworkSection[],
  { fetch, log, now }: DownloadOptions,
): Promise<{ text: string; sections: RefreshedSection[] }> {
  const sections: RefreshedSection[] = [];
  const parts = [
    `# Networks of data centers and of mail scanners, written on ${now.toISOString()}.`,
  ];
  for (const { owner, source, networks: earlier } of present) {
    let networks = earlier;
    let outcome: RefreshedSection['outcome'] = 'kept';
    if (source !== '') {
      try {
        networks = await download(source, fetch);
        outcome = 'downloaded';
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log(`${owner} was not downloaded: ${reason}`);
      }
    }
    parts.push(`[${owner}] ${source}`.trimEnd() + `\n${networks.join('\n')}`);
    sections.push({ owner, networks: networks.length, outcome });
  }
  return { text: `${parts.join('\n\n')}\n`, sections };
}

async function download(source: string, fetch: DownloadOptions['fetch']): Promise<string[]> {
  const read = async (url: string) => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(LIST_MS) });
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    return answer.text();
  };
  let text = await read(source);
  const list = AZURE_LIST.exec(text)?.[0];
  if (list !== undefined) text = await read(list);
  const networks = [...new Set(text.match(NETWORK))].filter(isPublic);
  if (networks.length === 0) throw new Error(`${source} has no networks`);
  return networks;
}

/** True for a network of public addresses; lists of hosters have documentation networks too. */
function isPublic(network: string): boolean {
  if (rangeOf(network) === undefined) return false;
  return ipaddr.parse(network.slice(0, network.indexOf('/'))).range() === 'unicast';
}
