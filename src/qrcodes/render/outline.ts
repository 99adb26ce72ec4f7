import type { PathCommand } from 'opentype.js';
import { curveTo, lineTo, moveTo } from './geometry.ts';

/**
 * Converts outlines to M, L, C and Z: a quadratic curve becomes a cubic one whose control points
 * are two thirds of the way out.
 */
export function outline(commands: PathCommand[]): string {
  let path = '';
  let [x, y] = [0, 0];
  for (const command of commands) {
    switch (command.type) {
      case 'M':
        path += moveTo(command.x, command.y);
        break;
      case 'L':
        path += lineTo(command.x, command.y);
        break;
      case 'C':
        path += curveTo(command.x1, command.y1, command.x2, command.y2, command.x, command.y);
        break;
      case 'Q':
        path += curveTo(
          x + (2 / 3) * (command.x1 - x),
          y + (2 / 3) * (command.y1 - y),
          command.x + (2 / 3) * (command.x1 - command.x),
          command.y + (2 / 3) * (command.y1 - command.y),
          command.x,
          command.y,
        );
        break;
      case 'Z':
        path += 'Z';
        continue;
    }
    [x, y] = [command.x, command.y];
  }
  return path;
}
