import { Refusal } from '../../errors.ts';
import { kindOfId } from '../../ids.ts';
import { keptImage } from '../../images/keep.ts';
import type { MadeImage } from '../../images/name.ts';
import { vectorIn } from '../../images/vector/stored.ts';
import { db } from '../../infra/db.ts';
import { withinLimits } from '../../infra/limits.ts';
import type { Log } from '../../infra/log.ts';
import type { Picture } from '../../qrcodes/pictures.ts';
import { type DrawnRow, findQrCodeRows } from '../../qrcodes/queries.ts';
import type { Format } from '../../qrcodes/render/design.ts';
import type { MiddleImage } from '../../qrcodes/render/middle-image.ts';
import type { drawPicture } from '../../qrcodes/render/picture.ts';
import { pictureOfRow } from '../../qrcodes/row-picture.ts';
import { findLinkRows } from './link-rows.ts';
import type { PictureExport } from './model.ts';
import type { Item } from './part.ts';

const isLinkId = (id: string): boolean => kindOfId(id) === 'link';

const FAULT = 'The image could not be drawn because of a fault of the service';

/** The stored images of a code: that in its middle, and that of its background. */
interface CodeImages {
  image: MiddleImage | undefined;
  background: MiddleImage | undefined;
}

/** The codes of a part of an export. */
export class PictureSource {
  readonly #row: PictureExport;
  readonly #draw: typeof drawPicture;
  readonly #log: Log;
  #codes = new Map<string, DrawnRow>();
  /** Images by id. Most codes of an export have the same. */
  readonly #images = new Map<string, Promise<MiddleImage>>();

  constructor(row: PictureExport, draw: typeof drawPicture, log: Log) {
    this.#row = row;
    this.#draw = draw;
    this.#log = log;
  }

  /** Reads the codes of the items. */
  async load(items: readonly Item[]): Promise<void> {
    const ids = items.map(({ record_id }) => record_id);
    const [links, codes] = [ids.filter(isLinkId), ids.filter((id) => !isLinkId(id))];
    const { project_id: projectId, limits } = this.#row;
    const ofLinks = () => findLinkRows(projectId, links);
    this.#codes = new Map([
      ...(await findQrCodeRows(projectId, codes)),
      // Without the designs that its creator cannot see.
      ...(await withinLimits(limits ?? undefined, ofLinks)),
    ]);
  }

  /** Draws the image file of a code. @returns `undefined` if it has an error now */
  draw(item: Item, format: Format): Promise<Buffer | undefined> {
    return this.attempt(item, format, ({ payload, design, output }, { image, background }) =>
      this.#draw(payload, design, format, image, output, background),
    );
  }

  /**
   * Uses a code. The reason why it cannot be drawn becomes its error; one such code must not fail
   * the whole export.
   *
   * @throws Error if a server failed, so that the job is tried again
   */
  async attempt<Result>(
    item: Item,
    format: Format,
    act: (picture: Picture, images: CodeImages, code: DrawnRow) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { options, project_id } = this.#row;
    const { image: asked, canReadPasswords } = options!;
    try {
      const code = this.#codes.get(item.record_id);
      if (code === undefined) {
        const noun = isLinkId(item.record_id) ? 'link' : 'QR code';
        throw new Refusal('not_found', `The ${noun} was deleted`);
      }
      const picture = pictureOfRow(project_id, code, { ...asked, format }, canReadPasswords);
      const [image, background] = await Promise.all([
        this.#imageOf(picture.image),
        this.#imageOf(picture.background),
      ]);
      return await act(picture, { image, background }, code);
    } catch (error) {
      if (error instanceof ServerFailed) throw error.cause;
      if (!(error instanceof Refusal)) {
        const { id } = this.#row;
        this.#log.error(
          { err: error, exportId: id, item: item.record_id },
          'an image was not drawn',
        );
      }
      item.error = error instanceof Refusal ? error.message : FAULT;
      return undefined;
    }
  }

  async #imageOf(image: Picture['image'] | undefined): Promise<MiddleImage | undefined> {
    if (!image) return undefined;
    let reading = this.#images.get(image.id);
    if (reading === undefined) {
      reading = readImage(image);
      this.#images.set(image.id, reading);
    }
    return reading;
  }
}

/** Thrown when Postgres or Redis has failed. */
class ServerFailed extends Error {}

async function readImage(image: MadeImage & { projectId: string }): Promise<MiddleImage> {
  const { id, projectId, width, height } = image;
  let isStored: boolean;
  try {
    const png = await keptImage(image);
    return { png, width, height, vector: vectorIn(png) };
  } catch (cause) {
    const find = db()('images').where({ project_id: projectId, id }).first('id');
    isStored = (await find.catch(() => ({ id }))) !== undefined;
    if (isStored) throw new ServerFailed('an image was not read', { cause });
  }
  throw new Refusal(
    'unprocessable_entity',
    'src or backgroundSrc must be set again: its image is no longer stored',
  );
}
