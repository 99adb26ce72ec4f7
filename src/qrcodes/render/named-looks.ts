import type { DesignGradient } from './design.ts';
import type { StoredDesign } from './stored-design.ts';

/** Fields of a design that a named look sets. */
type Styled = Pick<
  StoredDesign,
  | 'fgColor'
  | 'bgColor'
  | 'fgGradient'
  | 'bgGradient'
  | 'eyeColor'
  | 'eyeBallColor'
  | 'eyeColors'
  | 'eyeGradient'
  | 'pattern'
  | 'shape'
>;

const linear = (angle: number, ...colors: string[]): DesignGradient => ({
  type: 'linear',
  angle,
  stops: colors.map((color, at) => ({ color, offset: at / (colors.length - 1) })),
});

const radial = (...colors: string[]): DesignGradient => ({
  ...linear(0, ...colors),
  type: 'radial',
});

/** Looks to start from. All of them scan easily with any content. */
export const NAMED_LOOKS: Readonly<Record<string, Styled>> = {
  Ink: { fgColor: '#0B1320', pattern: 'rounded', shape: 'rounded/rounded' },
  Midnight: {
    fgGradient: linear(45, '#0F172A', '#312E81'),
    eyeColor: '#0F172A',
    eyeBallColor: '#4338CA',
    pattern: 'extra-rounded',
    shape: 'extra-rounded/dot',
  },
  Ocean: {
    fgGradient: linear(90, '#075985', '#1E3A8A'),
    bgColor: '#F0F9FF',
    pattern: 'fluid',
    shape: 'extra-rounded/dot',
  },
  Forest: {
    fgColor: '#14532D',
    bgColor: '#F4FBF4',
    eyeBallColor: '#15803D',
    pattern: 'leaves',
    shape: 'leaf/leaf',
  },
  Sunset: {
    fgGradient: linear(60, '#7C2D12', '#9D174D', '#581C87'),
    bgGradient: linear(60, '#FFFFFF', '#FFF3E4'),
    pattern: 'extra-rounded',
    shape: 'leaf/drop',
  },
  Berry: {
    fgGradient: radial('#86198F', '#4A044E'),
    eyeColor: '#4A044E',
    eyeBallColor: '#A21CAF',
    pattern: 'dots',
    shape: 'extra-rounded/dot',
  },
  Rose: {
    fgColor: '#881337',
    bgColor: '#FFF5F6',
    eyeBallColor: '#BE123C',
    pattern: 'hearts',
    shape: 'rounded/rounded',
  },
  Terracotta: {
    fgColor: '#7C2D12',
    bgColor: '#FFF8F1',
    eyeBallColor: '#B4451A',
    pattern: 'diamonds',
    shape: 'octagon/octagon',
  },
  Mint: {
    fgGradient: linear(0, '#065F46', '#115E59'),
    bgColor: '#F0FDFA',
    pattern: 'rounded-tiles',
    shape: 'rounded/flower',
  },
  Slate: {
    fgColor: '#1E293B',
    eyeColor: '#0F172A',
    pattern: 'vertical-lines',
    shape: 'square/square',
  },
  Espresso: {
    fgColor: '#3B1F12',
    bgColor: '#FBF6EF',
    eyeBallColor: '#7A3E1D',
    pattern: 'classy-rounded',
    shape: 'leaf/rounded',
  },
  Royal: {
    fgGradient: linear(45, '#1E1B4B', '#3730A3'),
    eyeGradient: linear(45, '#3730A3', '#6D28D9'),
    pattern: 'classy',
    shape: 'leaf/petal',
  },
  Candy: {
    fgColor: '#3B0764',
    eyeColors: {
      topLeft: { frame: '#9D174D' },
      topRight: { frame: '#5B21B6' },
      bottomLeft: { frame: '#1E40AF' },
    },
    pattern: 'dots',
    shape: 'extra-rounded/dot',
  },
  Citrus: {
    fgColor: '#365314',
    bgGradient: linear(45, '#FFFFFF', '#FEF9C3'),
    eyeBallColor: '#4D7C0F',
    pattern: 'hexagons',
    shape: 'octagon/rounded',
  },
  Aurora: {
    fgGradient: linear(30, '#134E4A', '#1E40AF', '#6B21A8'),
    pattern: 'horizontal-lines',
    shape: 'extra-rounded/rounded',
  },
  Blueprint: {
    fgColor: '#1E3A8A',
    bgColor: '#F5F9FF',
    pattern: 'tiles',
    shape: 'notched/cross',
  },
  Lagoon: {
    fgGradient: radial('#0E7490', '#164E63'),
    eyeColor: '#164E63',
    pattern: 'fluid',
    shape: 'leaf/drop',
  },
  Ruby: {
    fgColor: '#450A0A',
    eyeColor: '#7F1D1D',
    eyeBallColor: '#B91C1C',
    pattern: 'tiles',
    shape: 'notched/octagon',
  },
  Starlight: {
    fgGradient: linear(90, '#1E1B4B', '#4C1D95'),
    bgColor: '#FAF8FF',
    pattern: 'dots',
    shape: 'leaf/flower',
  },
  Paper: {
    fgColor: '#292524',
    bgColor: '#FAF7F2',
    eyeBallColor: '#9A3412',
    pattern: 'squares',
    shape: 'square/square',
  },
};
