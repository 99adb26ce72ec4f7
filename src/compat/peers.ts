import { dub } from './dub/peer.ts';
import type { Peer } from './peer.ts';
import { shlink, shlinkWithoutVersion } from './shlink/peer.ts';
import { yourls } from './yourls.ts';

/** Services whose clients can use this one instead. */
export const PEERS: readonly Peer[] = [dub, shlink, yourls, shlinkWithoutVersion];
