import { rectangle } from '../geometry.ts';
import { eachRun } from './pattern.ts';

/** Plain modules, as in ISO/IEC 18004. */
export const squares = eachRun(({ x, y, width, height }) => rectangle(x, y, width, height));
