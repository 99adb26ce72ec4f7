import type { Design } from '../design.ts';
import type { FrameLayout } from '../drawing-types.ts';

/** A frame around a code. */
export interface FrameForm {
  /** True if the frame shows a text. */
  hasLabel: boolean;
  layout(design: Design): FrameLayout;
}

/** Thickness of a border for a picture of this width, in px. */
export const thickness = (size: number): number => Math.max(2, Math.round(size * 0.022));
