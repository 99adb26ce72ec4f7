import { parseDocument } from 'htmlparser2';
import { colorOf } from './color.ts';
import {
  boundsOf,
  commandsOf,
  IDENTITY,
  lengthOf,
  type Matrix,
  multiply,
  numbersOf,
  pathOf,
  scaleOf,
  transformOf,
  writeCommands,
} from './geometry.ts';
import { type GradientElement, gradientOf } from './gradient.ts';
import { INITIAL, type Properties, propertiesOf, type Sheet, sheetOf } from './style.ts';
import type { Stroke, Vector, VectorShape } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** Length of an SVG above which it stays pixels. */
const MAX_SVG = 300_000;
const MAX_SHAPES = 2_000;
/** Maximum number of shapes and groups that are read, drawn or not. */
const MAX_ELEMENTS = 4_000;
/** Maximum length of the text of a size. */
const MAX_SIZE = 40;
/** Maximum depth of elements, which are read recursively. */
const MAX_DEPTH = 64;
/** Longer side of the result, so that two decimals suffice. */
const SIDE = 1_000;
/** Shortest dash; a line of shorter ones takes long to draw. */
const MIN_DASH = 1;

const SHAPES = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon']);
const GRADIENTS = new Set(['linearGradient', 'radialGradient']);
/** Elements that draw nothing themselves; what runs or describes is left out with them. */
const LEFT_OUT = new Set(['title', 'desc', 'metadata', 'script', 'style', 'defs', 'clipPath']);

type Node = ReturnType<typeof parseDocument>['children'][number];
type Element = Extract<Node, { attribs: unknown }>;

/** Everything that shapes refer to. */
interface Context {
  sheet: Sheet;
  gradients: ReadonlyMap<string, GradientElement>;
  /** Ids of clip paths that contain the whole picture, as design programs write them. */
  wholeClips: ReadonlySet<string>;
  /** The coordinates of the picture, in which these contain it. */
  whole: Matrix;
  shapes: VectorShape[];
  /** Number of elements that were read. */
  read: number;
}

/**
 * Converts an SVG of paths, basic shapes and plain gradients to shapes. Nothing else of it is kept:
 * no script, event handler, reference or text.
 *
 * @returns `undefined` if shapes cannot reproduce it exactly: it has text, filters, masks, patterns,
 *   images, nested documents, or anything that this function does not know
 */
export function vectorOfSvg(svg: string): Vector | undefined {
  if (svg.length > MAX_SVG) return undefined;
  try {
    const root = parseDocument(svg, { xmlMode: true }).children.find(isElement);
    return root === undefined ? undefined : vectorOf(root);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

const isElement = (node: Node): node is Element => 'attribs' in node;

const elementsIn = ({ children }: Element): Element[] => (children as Node[]).filter(isElement);

function vectorOf(root: Element): Vector {
  const { x, y, width, height } = viewBoxOf(root.attribs);
  const scale = SIDE / Math.max(width, height);
  const all = descendants(root, 0);
  const context: Context = {
    sheet: sheetOf(
      all
        .filter(({ name }) => name === 'style')
        .map(textOf)
        .join(''),
    ),
    gradients: new Map(
      all
        .filter(({ name }) => GRADIENTS.has(name))
        .map((element) => [
          element.attribs['id'] ?? '',
          {
            name: element.name,
            attribs: element.attribs,
            stops: elementsIn(element).flatMap(({ name, attribs }) =>
              name === 'stop' ? [attribs] : [],
            ),
          },
        ]),
    ),
    wholeClips: new Set(
      all
        .filter((one) => one.name === 'clipPath' && clipsNothing(one, { x, y, width, height }))
        .map(({ attribs }) => attribs['id'] ?? ''),
    ),
    whole: [scale, 0, 0, scale, -x * scale, -y * scale],
    shapes: [],
    read: 0,
  };
  const { transform, ...attributes } = root.attribs;
  if (transform !== undefined) throw new Unsupported('transform of the root');
  const properties = propertiesOf(attributes, context.sheet, INITIAL);
  if (!isPlain(properties, context.whole, context)) {
    throw new Unsupported('an image that shows nothing');
  }
  addChildren(root, context.whole, properties, context);
  return { width: width * scale, height: height * scale, shapes: context.shapes };
}

function descendants(element: Element, depth: number): Element[] {
  if (depth > MAX_DEPTH) throw new Unsupported('depth');
  return elementsIn(element).flatMap((child) => [child, ...descendants(child, depth + 1)]);
}

const textOf = ({ children }: Element): string =>
  (children as Node[])
    .map((node) => ('data' in node ? node.data : 'children' in node ? textOf(node as Element) : ''))
    .join('');

/** The part of the plane that the picture shows. @throws Unsupported if it would be distorted */
function viewBoxOf({ viewBox, width, height }: Properties) {
  const sizes = [width, height].map((text) =>
    text === undefined || text.trim() === '100%' ? undefined : text,
  );
  const [first, second] = sizes;
  if (viewBox === undefined) {
    return nonEmpty({ x: 0, y: 0, width: lengthOf(first), height: lengthOf(second) });
  }
  const [x = 0, y = 0, w = 0, h = 0] = numbersOf(viewBox);
  if (first !== undefined && second !== undefined) {
    if (first.length > MAX_SIZE) throw new Unsupported('size');
    const unit = first.trim().replace(/^[-+.\d]+/, '');
    if (!second.trim().endsWith(unit)) throw new Unsupported('units of the size');
    const plain = (text: string) =>
      lengthOf(text.trim().slice(0, text.trim().length - unit.length));
    if (Math.abs((plain(first) / plain(second)) * (h / w) - 1) > 5e-3) {
      throw new Unsupported('a size with other proportions than the viewBox');
    }
  } else if (first !== undefined || second !== undefined) {
    throw new Unsupported('a size with one side');
  }
  return nonEmpty({ x, y, width: w, height: h });
}

function nonEmpty<Box extends { width: number; height: number }>(box: Box): Box {
  if (!(box.width > 0 && box.height > 0)) throw new Unsupported('size');
  return box;
}

/** True for a clip path with a rectangle around the whole picture. */
function clipsNothing(
  element: Element,
  box: { x: number; y: number; width: number; height: number },
): boolean {
  const [rect, ...others] = elementsIn(element);
  if (rect?.name !== 'rect' || others.length > 0) return false;
  const { attribs } = rect;
  if ((element.attribs['clipPathUnits'] ?? 'userSpaceOnUse') !== 'userSpaceOnUse') return false;
  if (attribs['rx'] !== undefined || attribs['ry'] !== undefined) return false;
  if (attribs['transform'] !== undefined || element.attribs['transform'] !== undefined)
    return false;
  const at = (name: string) => lengthOf(attribs[name]);
  return (
    at('x') <= box.x &&
    at('y') <= box.y &&
    at('x') + at('width') >= box.x + box.width &&
    at('y') + at('height') >= box.y + box.height
  );
}

/**
 * True if an element is shown.
 *
 * @param matrix its own coordinates, in which a clip may contain another part of the plane
 * @throws Unsupported if it is clipped
 */
function isPlain(properties: Properties, matrix: Matrix, { wholeClips, whole }: Context): boolean {
  if (properties['display'] === 'none') return false;
  const clip = properties['clip-path'] ?? 'none';
  if (clip === 'none') return true;
  if (matrix !== whole || !wholeClips.has(referenceOf(clip))) throw new Unsupported('clip-path');
  return true;
}

/** Returns the id in `url(#id)`, or an empty text. */
function referenceOf(text: string): string {
  const end = text.indexOf(')');
  if (!text.startsWith('url(') || end < 0) return '';
  const url = text.slice('url('.length, end).replaceAll(/["'\s]/g, '');
  return url.startsWith('#') ? url.slice(1) : '';
}

function addChildren(
  parent: Element,
  matrix: Matrix,
  inherited: Properties,
  context: Context,
): void {
  for (const element of elementsIn(parent)) {
    const { name, attribs } = element;
    // Elements of other namespaces are data of drawing programs.
    if (LEFT_OUT.has(name) || GRADIENTS.has(name) || name.includes(':')) continue;
    context.read += 1;
    if (context.read > MAX_ELEMENTS) throw new Unsupported('number of elements');
    const properties = propertiesOf(attribs, context.sheet, inherited);
    const { transform } = attribs;
    const own = transform === undefined ? matrix : multiply(matrix, transformOf(transform));
    if (!isPlain(properties, own, context)) continue;
    if (name === 'g') {
      if (Number(properties['opacity'] ?? 1) !== 1) throw new Unsupported('opacity of a group');
      addChildren(element, own, properties, context);
    } else if (SHAPES.has(name)) {
      if (properties['visibility'] === 'visible') addShape(element, own, properties, context);
    } else {
      throw new Unsupported(`element ${name}`);
    }
  }
}

function addShape(
  { name, attribs }: Element,
  matrix: Matrix,
  properties: Properties,
  { sheet, gradients, shapes }: Context,
): void {
  const data = pathOf(name, attribs);
  const path = writeCommands(commandsOf(data, matrix));
  if (path === '') return;
  const { fill = '', color = '' } = properties;
  const opacity = shareOf(properties['opacity']);
  const shape: VectorShape = { path };
  if (fill.startsWith('url(')) {
    if (opacity * shareOf(properties['fill-opacity']) !== 1) {
      throw new Unsupported('translucent gradient');
    }
    const bounds = () => boundsOf(commandsOf(data, IDENTITY));
    shape.fill = gradientOf(referenceOf(fill), gradients, sheet, matrix, bounds);
  } else {
    shape.fill = colorOf(fill, color, opacity * shareOf(properties['fill-opacity']));
  }
  shape.stroke = strokeOf(properties, opacity, matrix);
  if (shape.fill !== undefined && shape.stroke !== undefined && opacity < 1) {
    throw new Unsupported('opacity of a shape with a stroke');
  }
  if (properties['fill-rule'] === 'evenodd') shape.evenOdd = true;
  if (shape.fill === undefined && shape.stroke === undefined) return;
  if (shapes.push(shape) > MAX_SHAPES) throw new Unsupported('number of shapes');
}

/** Parses an opacity. @throws Unsupported */
function shareOf(text = '1'): number {
  const share = text.endsWith('%') ? lengthOf(text.slice(0, -1)) / 100 : lengthOf(text);
  return Math.min(1, Math.max(0, share));
}

function strokeOf(properties: Properties, opacity: number, matrix: Matrix): Stroke | undefined {
  const { stroke = 'none', color = '' } = properties;
  const paint = colorOf(stroke, color, opacity * shareOf(properties['stroke-opacity']));
  const width = lengthOf(properties['stroke-width']);
  if (paint === undefined || width <= 0) return undefined;
  const scale = scaleOf(matrix);
  const dashes = dashesOf(properties['stroke-dasharray'] ?? 'none').map((one) => one * scale);
  if (dashes.some((one) => one < MIN_DASH)) throw new Unsupported('dashes');
  const join = properties['stroke-linejoin'] as Stroke['join'];
  const cap = properties['stroke-linecap'] as Stroke['cap'];
  if (!['miter', 'round', 'bevel'].includes(join) || !['butt', 'round', 'square'].includes(cap)) {
    throw new Unsupported('line');
  }
  const miterLimit = lengthOf(properties['stroke-miterlimit']);
  return { color: paint, width: width * scale, cap, join, miterLimit, dashes };
}

const dashesOf = (text: string): number[] => {
  const dashes = text === 'none' ? [] : numbersOf(text);
  // An odd list is repeated (SVG 2, 13.5.6), which PDF and PostScript would do otherwise.
  return dashes.length % 2 === 1 ? [...dashes, ...dashes] : dashes;
};
