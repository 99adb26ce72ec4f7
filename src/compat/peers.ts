import { dub } from './dub/peer.ts';
import type { Peer } from './peer.ts';
import { shlink } from './shlink/peer.ts';
import { yourls } from './yourls.ts';

/** The services whose clients can be pointed at this one. */
export const PEERS: readonly Peer[] = [dub, shlink, yourls];
