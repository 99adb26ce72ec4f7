import { plainHeader } from '../fields.ts';
import { bitly } from './bitly.ts';
import { dub } from './dub.ts';
import { kutt } from './kutt.ts';
import type { Peer, PeerRecord } from './peer.ts';
import { shlink } from './shlink.ts';
import { shortio } from './shortio.ts';
import { yourls } from './yourls.ts';

/** The services whose exports are read, by the names that they have in requests. */
export const PEERS = { bitly, dub, kutt, shlink, shortio, yourls } as const satisfies Record<
  string,
  Peer
>;

export type PeerName = keyof typeof PEERS;

export const PEER_NAMES = Object.keys(PEERS) as PeerName[];

/** The peer whose records have these properties or columns; `undefined` for none. */
export function recognize(names: readonly string[]): PeerName | undefined {
  const plain = new Set(names.map(plainHeader));
  return PEER_NAMES.find((peer) => isOf(PEERS[peer], plain));
}

const isOf = ({ marks }: Peer, names: ReadonlySet<string>): boolean =>
  marks.some((mark) => mark.every((name) => names.has(name)));

/** Cells of the links of a record of a peer, by the peer's fields. */
export function toCells(name: PeerName, record: object): string[][] {
  const peer: Peer = PEERS[name];
  const plain: PeerRecord = Object.fromEntries(
    Object.entries(record).map(([property, value]) => [plainHeader(property), value as unknown]),
  );
  return peer.links(plain).map((link) => peer.fields.map((field) => toCell(link[field])));
}

function toCell(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
