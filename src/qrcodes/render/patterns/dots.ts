import { circle } from '../geometry.ts';
import { eachModule } from './pattern.ts';

/** A dot for each module, a little wider than the module: with gaps between them strict decoders lose the grid. */
export const dots = eachModule((x, y, px) => circle(x + px / 2, y + px / 2, px * 0.56));
