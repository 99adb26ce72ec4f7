import { createHash } from 'node:crypto';
import type { ApiRequest } from '../http/route.ts';
import { type ImageRef, imageName, type MadeImage } from '../images/name.ts';
import { namingField, requestImage } from '../images/request.ts';
import { keep } from '../infra/kept.ts';
import type { Requester } from '../jobs/run-job.ts';
import type { StoredDesign } from './render/stored-design.ts';
import type { KeptImages } from './schema.ts';

/** Images of one request by their sources: each is fetched once, however many codes show it. */
export type KeptSources = Map<string, Promise<ImageRef>>;

/** Fetches the images that a body names, and stores them for the workspace. @throws Refusal naming the field */
export async function keepImages(
  request: Requester,
  { src, logo }: Pick<StoredDesign, 'src' | 'logo'>,
  kept: KeptSources = new Map(),
): Promise<KeptImages> {
  const [srcImage, logoImage] = await Promise.all([
    keepImage(request, 'src', src, kept),
    keepImage(request, 'logo', logo, kept),
  ]);
  return {
    src: srcImage,
    logo: logoImage,
  };
}

async function keepImage(
  request: Requester,
  field: 'src' | 'logo',
  source: string | null | undefined,
  kept: KeptSources = new Map(),
): Promise<ImageRef | undefined> {
  if (typeof source !== 'string') return undefined;
  const keeping = kept.get(source) ?? requestImage(request, source);
  kept.set(source, keeping);
  return namingField(field, keeping);
}

/** Time for which an image of a public picture is found by its source, in s. The image is kept longer. */
const PUBLIC_SECONDS = 300;

/** A look whose image is there, and the image. */
interface WithPublicImage {
  look: StoredDesign;
  image: MadeImage | null;
}

/**
 * The look with the image that it names, which belongs to no workspace and is kept for minutes. One that is not kept is
 * fetched and drawn, and counts against the limit of such images.
 *
 * @throws Refusal naming the field; `rate_limit_exceeded`
 */
export async function withPublicImage(
  request: Pick<ApiRequest, 'queues' | 'caller' | 'requestId' | 'connection'>,
  look: StoredDesign,
): Promise<WithPublicImage> {
  const source = look.src ?? look.logo;
  if (typeof source !== 'string') return { look, image: null };
  const field = typeof look.src === 'string' ? 'src' : 'logo';
  const { cache } = request.queues;
  const name = `imgsrc:${createHash('sha256').update(source).digest('base64url')}`;
  const known = JSON.parse((await cache.get(name)) ?? 'null') as ImageRef | null;
  // A cache that evicts may have kept the name and not the image.
  if (known !== null && (await cache.exists(imageName(known.id))) === 1) {
    return { look: { ...look, srcImage: known }, image: known };
  }
  await request.connection.takeImage();
  const image = await namingField(field, requestImage(request, source));
  const { handed, ...ref } = image;
  if (handed === undefined) {
    const options = { budget: 'strangers', seconds: PUBLIC_SECONDS } as const;
    await keep(cache, name, JSON.stringify(ref), options);
  }
  return { look: { ...look, srcImage: ref }, image };
}
