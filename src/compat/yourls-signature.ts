import { createHash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import { isEqual } from '../infra/secrets.ts';
import type { KeyProof } from '../workspaces/api-keys.ts';
import { lastValue, type PeerRequest } from './peer.ts';

/** Time before and after now for which a signature is valid in YOURLS, in seconds. */
const MAX_AGE_SECONDS = 12 * 3_600;

/** Hash functions of YOURLS. Without a `hash`, the length of a signature decides. */
const HASHES: Readonly<Record<string, number>> = {
  md5: 32,
  sha1: 40,
  sha256: 64,
  sha384: 96,
  sha512: 128,
};

/**
 * Reads the signature of a request with a `timestamp`: the hash of timestamp and key, in any order
 * (https://yourls.org/docs/guide/advanced/passwordless-api). It does not say whose it is, so the
 * path names the key.
 *
 * @throws Refusal `unauthorized`
 */
export function readSignature(
  { params }: Pick<PeerRequest, 'params'>,
  parameters: PeerRequest['query'],
): KeyProof {
  const [signature = '', timestamp = '', hash] = ['signature', 'timestamp', 'hash'].map((name) =>
    lastValue(parameters, name),
  );
  const apiKeyId = params['keyId'];
  if (apiKeyId === undefined) {
    throw new Refusal(
      'unauthorized',
      'A signature with a timestamp needs the API URL of a key that was created with ' +
        'yourlsSignatures: /compat/yourls/<id of the key>/yourls-api.php',
    );
  }
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) < MAX_AGE_SECONDS)) {
    throw new Refusal('unauthorized', 'timestamp must be within 12 hours of the present time');
  }
  const algorithm =
    hash ?? Object.keys(HASHES).find((name) => HASHES[name] === signature.length) ?? 'md5';
  if (!Object.hasOwn(HASHES, algorithm)) {
    throw new Refusal('unauthorized', `hash must be one of ${Object.keys(HASHES).join(', ')}`);
  }
  const hashOf = (text: string) => createHash(algorithm).update(text).digest('hex');
  return {
    apiKeyId,
    text: [algorithm, timestamp, signature].join(' '),
    isOf: (apiKey) =>
      [timestamp + apiKey, apiKey + timestamp].some((text) => isEqual(signature, hashOf(text))),
  };
}
