import { warningsOf } from '../../src/qrcodes/render/scannability.ts';
import { CLEAN_DECODERS, DECODERS } from '../support/decoders.ts';
import { type Case, sampleImage } from './cases.ts';
import { make, RENDERINGS, type Rendering, render } from './renderings.ts';

/** A decoder that did not return the payload. */
export interface Failure {
  case: Case;
  rendering: Rendering;
  decoder: string;
  /** Decoded payload, or `undefined` if the decoder found nothing. */
  got: string | undefined;
}

let image: ReturnType<typeof sampleImage> | undefined;

/**
 * True if a decoder must read a rendering: ZBar and ZXing read all, and jsQR codes as they are made,
 * unless the service warns of them.
 */
const isRequired = (decoder: string, rendering: Rendering, { scene }: Case): boolean =>
  decoder in DECODERS || (rendering === 'as made' && warningsOf(scene.design).length === 0);

/** True for a failure of a decoder that must read the code. */
export const isFault = ({ case: one, rendering, decoder }: Failure): boolean =>
  isRequired(decoder, rendering, one);

/** Decodes a case in all renderings with all decoders. */
export async function decodeCase(one: Case): Promise<Failure[]> {
  image ??= sampleImage();
  const middle = one.scene.design.middle === null ? undefined : await image;
  const scene = { ...one.scene, image: middle };
  const expected = Buffer.from(scene.payload);
  const made = await make(scene);
  const failures: Failure[] = [];
  for (const rendering of RENDERINGS) {
    const pixels = await render(scene, made, rendering);
    for (const [decoder, decode] of Object.entries(CLEAN_DECODERS)) {
      const got = await decode(pixels);
      if (got?.equals(expected) !== true) {
        failures.push({ case: one, rendering, decoder, got: got?.toString() });
      }
    }
  }
  return failures;
}

/** Describes a failure in one line. */
export function describeFailure({
  case: { choices, scene },
  rendering,
  decoder,
  got,
}: Failure): string {
  const chosen = Object.values(choices).join(', ');
  return `${decoder}, ${rendering}: ${chosen} (${scene.payload.length} characters): ${got === undefined ? 'nothing found' : `got ${JSON.stringify(got.slice(0, 60))}`}`;
}
