import { circle } from '../geometry.ts';
import { eachModule } from './pattern.ts';

/**
 * A dot per module, slightly wider than the module, since strict decoders lose the grid at gaps.
 */
export const dots = eachModule((x, y, px) => circle(x + px / 2, y + px / 2, px * 0.56));
