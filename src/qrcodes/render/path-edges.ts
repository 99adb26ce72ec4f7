/** Largest distance between a curve and the lines that stand for it, in px. */
const TOLERANCE = 0.1;

/** Straight edges of an area, without the horizontal ones, which cover nothing. */
export interface Edges {
  /** Four numbers for each edge: x and y of its start and end, in px. */
  ends: Float64Array;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Reads path data of absolute `M`, `L`, `C` and `Z`, and replaces its curves by lines. */
export function edgesOf(path: string): Edges {
  const edges = new EdgeList();
  const numbers = new NumberReader(path);
  const next = () => numbers.next();
  for (let command = numbers.command(); command !== ''; command = numbers.command()) {
    if (command === 'M') edges.moveTo(next(), next());
    else if (command === 'L') edges.lineTo(next(), next());
    else if (command === 'C') edges.curveTo(next(), next(), next(), next(), next(), next());
    else edges.close();
  }
  edges.close();
  return edges.all();
}

/** Reads the commands and numbers of path data, which has no exponents. */
class NumberReader {
  readonly #path: string;
  #at = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The next letter; empty at the end. */
  command(): string {
    while (this.#path.charCodeAt(this.#at) === SPACE) this.#at += 1;
    const letter = this.#path.charAt(this.#at);
    this.#at += 1;
    return letter;
  }

  /** `Number()` on a part of the text would take several times as long. */
  next(): number {
    const path = this.#path;
    let at = this.#at;
    while (path.charCodeAt(at) === SPACE) at += 1;
    const isNegative = path.charCodeAt(at) === MINUS;
    if (isNegative) at += 1;
    let digits = 0;
    let scale = 1;
    let isFraction = false;
    for (; ; at += 1) {
      const code = path.charCodeAt(at);
      if (code === POINT) isFraction = true;
      else if (code >= ZERO && code <= NINE) {
        digits = digits * 10 + code - ZERO;
        if (isFraction) scale *= 10;
      } else break;
    }
    this.#at = at;
    return (isNegative ? -digits : digits) / scale;
  }
}

const SPACE = 0x20;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Collects edges, with the area that they enclose. */
class EdgeList {
  #ends = new Float64Array(256);
  #length = 0;
  #x = 0;
  #y = 0;
  #startX = 0;
  #startY = 0;
  #left = Number.POSITIVE_INFINITY;
  #top = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #bottom = Number.NEGATIVE_INFINITY;

  moveTo(x: number, y: number): void {
    this.close();
    this.#startX = this.#x = x;
    this.#startY = this.#y = y;
  }

  lineTo(x: number, y: number): void {
    if (y !== this.#y) this.#add(x, y);
    this.#x = x;
    this.#y = y;
  }

  close(): void {
    this.lineTo(this.#startX, this.#startY);
  }

  /** Adds a cubic Bézier curve in steps of equal parameter. */
  curveTo(x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): void {
    const [x0, y0] = [this.#x, this.#y];
    const bend = Math.max(
      Math.abs(x0 - 2 * x1 + x2) + Math.abs(y0 - 2 * y1 + y2),
      Math.abs(x1 - 2 * x2 + x3) + Math.abs(y1 - 2 * y2 + y3),
    );
    const steps = Math.ceil(Math.sqrt((0.75 * bend) / TOLERANCE));
    for (let step = 1; step < steps; step += 1) {
      const t = step / steps;
      const u = 1 - t;
      const [a, b, c, d] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
      this.lineTo(a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3);
    }
    this.lineTo(x3, y3);
  }

  all(): Edges {
    return {
      ends: this.#ends.subarray(0, this.#length),
      left: this.#left,
      top: this.#top,
      right: this.#right,
      bottom: this.#bottom,
    };
  }

  #add(x: number, y: number): void {
    if (this.#length === this.#ends.length) {
      const longer = new Float64Array(2 * this.#length);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#ends[this.#length] = this.#x;
    this.#ends[this.#length + 1] = this.#y;
    this.#ends[this.#length + 2] = x;
    this.#ends[this.#length + 3] = y;
    this.#length += 4;
    this.#left = Math.min(this.#left, x, this.#x);
    this.#right = Math.max(this.#right, x, this.#x);
    this.#top = Math.min(this.#top, y, this.#y);
    this.#bottom = Math.max(this.#bottom, y, this.#y);
  }
}
