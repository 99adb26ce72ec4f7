import { rectangle } from '../geometry.ts';
import { eachRun } from './pattern.ts';

/** Plain modules, as ISO/IEC 18004 draws them. */
export const squares = eachRun(({ x, y, width, height }) => rectangle(x, y, width, height));
