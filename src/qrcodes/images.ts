import { createHash } from 'node:crypto';
import type { ApiRequest, Requester } from '../http/route.ts';
import { type ImageRef, imageName, type MadeImage } from '../images/name.ts';
import { namingField, requestFile, requestImage } from '../images/request.ts';
import { keep } from '../infra/kept.ts';
import type { Contact } from './content/contact.ts';
import type { FileContent } from './content/file.ts';
import type { StoredDesign } from './render/stored-design.ts';
import type { StoredImages } from './schema.ts';

/** Images of one request by their sources. Each is fetched once, however many codes show it. */
export type ImageSources = Map<string, Promise<ImageRef>>;

/**
 * Fetches the images of a body and stores them for the workspace. @throws Refusal naming the field
 */
export async function storeImages(
  request: Requester,
  {
    src,
    logo,
    backgroundSrc,
    vcard,
    file,
  }: Pick<StoredDesign, 'src' | 'logo' | 'backgroundSrc'> & { vcard?: unknown; file?: unknown },
  sources: ImageSources = new Map(),
): Promise<StoredImages> {
  const { photo } = (vcard ?? {}) as Pick<Contact, 'photo'>;
  const { source } = (file ?? {}) as Partial<FileContent>;
  const [srcImage, logoImage, background, photoImage, stored] = await Promise.all([
    storeImage(request, 'src', src, sources),
    storeImage(request, 'logo', logo, sources),
    storeImage(request, 'backgroundSrc', backgroundSrc, sources),
    storeImage(request, 'vcard.photo', photo, sources),
    source === undefined ? undefined : namingField('file.source', requestFile(request, source)),
  ]);
  return { src: srcImage, logo: logoImage, background, photo: photoImage, file: stored };
}

async function storeImage(
  request: Requester,
  field: string,
  source: string | null | undefined,
  sources: ImageSources = new Map(),
): Promise<ImageRef | undefined> {
  if (typeof source !== 'string') return undefined;
  const keeping = sources.get(source) ?? requestImage(request, source);
  sources.set(source, keeping);
  return namingField(field, keeping);
}

/**
 * Time for which the image of a public picture is cached by its source, in seconds. The image
 * itself is kept longer.
 */
const PUBLIC_SECONDS = 300;

/** A design and its stored images. */
interface WithPublicImages {
  look: StoredDesign;
  image: MadeImage | null;
  background: MadeImage | null;
}

type PublicRequest = Pick<ApiRequest, 'queues' | 'caller' | 'requestId' | 'connection'>;

/**
 * Adds the images that a design names, which belong to no workspace and are cached for minutes.
 *
 * @throws Refusal as {@link publicImage} does
 */
export async function withPublicImages(
  request: PublicRequest,
  look: StoredDesign,
): Promise<WithPublicImages> {
  const field = typeof look.src === 'string' ? 'src' : 'logo';
  const [image, background] = await Promise.all([
    publicImage(request, field, look[field]),
    publicImage(request, 'backgroundSrc', look.backgroundSrc),
  ]);
  return {
    look: {
      ...look,
      ...(image && { srcImage: refOf(image) }),
      ...(background && { backgroundImage: refOf(background) }),
    },
    image,
    background,
  };
}

const refOf = ({ id, width, height }: MadeImage): ImageRef => ({ id, width, height });

/**
 * Returns an image that belongs to no workspace; `null` without a source. One that is not cached is
 * fetched and drawn, and counts against a limit.
 *
 * @throws Refusal naming the field; `rate_limit_exceeded`
 */
async function publicImage(
  request: PublicRequest,
  field: string,
  source: string | null | undefined,
): Promise<MadeImage | null> {
  if (typeof source !== 'string') return null;
  const { cache } = request.queues;
  const name = `imgsrc:${createHash('sha256').update(source).digest('base64url')}`;
  const cached = JSON.parse((await cache.get(name)) ?? 'null') as ImageRef | null;
  // The cache may have evicted the image but not the name.
  if (cached !== null && (await cache.exists(imageName(cached.id))) === 1) {
    return cached;
  }
  await request.connection.takeImage();
  const image = await namingField(field, requestImage(request, source));
  const { handed, ...ref } = image;
  if (handed === undefined) {
    const options = { budget: 'strangers', seconds: PUBLIC_SECONDS } as const;
    await keep(cache, name, JSON.stringify(ref), options);
  }
  return image;
}
