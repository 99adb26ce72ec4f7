import { Refusal } from '../errors.ts';
import { type Asked, sizedFor } from './picture-output.ts';
import type { Picture } from './pictures.ts';
import type { DrawnRow } from './queries.ts';
import { refuseUnscannable } from './render/scannability.ts';
import { middleImage, resolveDesign } from './render/stored-design.ts';

/**
 * Returns the image of a stored code.
 *
 * @param asked the requested format, size and properties of the file
 * @param canReadPasswords true if the reader may see passwords of wireless networks
 * @throws Refusal `forbidden` for an image that the reader may not see, `unprocessable_entity` for
 *   one that cannot be drawn or scanned
 */
export function pictureOfRow(
  projectId: string,
  row: DrawnRow,
  asked: Asked,
  canReadPasswords: boolean,
): Picture {
  if (row.drawsPassword && !canReadPasswords) {
    throw new Refusal(
      'forbidden',
      'The image shows the password of a wireless network, which needs the scope qrcodes.write',
    );
  }
  const { payload, title } = row;
  const { design, output } = sizedFor(row.design, payload, asked, title);
  refuseUnscannable(payload, design, { payload, design: resolveDesign(row.design, payload) });
  const image = middleImage(row.design);
  const { backgroundImage } = row.design;
  return {
    payload,
    design,
    format: asked.format,
    output,
    image: image && { projectId, ...image },
    background: backgroundImage ? { projectId, ...backgroundImage } : undefined,
  };
}
