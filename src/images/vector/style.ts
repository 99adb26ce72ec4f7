import { Unsupported } from './unsupported.ts';

/*
 * Properties of SVG elements: presentation attributes, style sheets whose selectors are single
 * classes, and the attribute `style`, in ascending order of precedence (SVG 2, 6).
 */

/** Values of properties by their names. */
export type Properties = Readonly<Record<string, string>>;

/** Declarations of a style sheet by class, in their order. */
export type Sheet = readonly { className: string; properties: Properties }[];

const INHERITED = [
  'fill',
  'fill-rule',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-miterlimit',
  'stroke-dasharray',
  'color',
  'visibility',
];

const OWN = ['opacity', 'display', 'clip-path', 'stop-color', 'stop-opacity'];

/** Initial values of the inherited properties. */
export const INITIAL: Properties = {
  fill: '#000000',
  'fill-rule': 'nonzero',
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-width': '1',
  'stroke-opacity': '1',
  'stroke-linecap': 'butt',
  'stroke-linejoin': 'miter',
  'stroke-miterlimit': '4',
  'stroke-dasharray': 'none',
  color: '#000000',
  visibility: 'visible',
};

/** Properties that change nothing in a picture of paths. */
const WITHOUT_EFFECT =
  /^(-|font|text-|line-height|letter-spacing|word-spacing|writing-mode|direction|clip-rule$|shape-rendering$|image-rendering$|color-rendering$|enable-background$|overflow$|pointer-events$|cursor$|solid-|white-space$|inline-size$|isolation$|flood-|lighting-color$|will-change$|transition|user-select$|stroke-dashoffset$)/;
/** Values with which any other property has no effect. */
const NEUTRAL = /^(none|normal|auto|0|srgb)$/i;

/** Attributes that are properties, besides those above, with effects that shapes do not have. */
const OTHER_PROPERTIES =
  /^(filter|mask|marker|marker-(start|mid|end)|mix-blend-mode|paint-order|vector-effect|color-interpolation|baseline-shift|transform-origin|transform-box)$/;

/** Parses the declarations of a rule or an attribute `style`. */
function declarations(text: string): Properties {
  const properties: Record<string, string> = {};
  for (const declaration of text.split(';')) {
    if (declaration.trim() === '') continue;
    const colon = declaration.indexOf(':');
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (colon < 0 || value.includes('!')) throw new Unsupported(`style ${declaration}`);
    check(name, value);
    properties[name] = value;
  }
  return properties;
}

/** @throws Unsupported for a property with an effect that shapes cannot have */
function check(name: string, value: string): void {
  if (INHERITED.includes(name) || OWN.includes(name)) return;
  if (WITHOUT_EFFECT.test(name) && (name !== 'stroke-dashoffset' || /^0(px)?$/.test(value))) return;
  if (!NEUTRAL.test(value)) throw new Unsupported(`property ${name}`);
}

/** Maximum number of rules and of selectors: each element is compared with all of them. */
const MAX_RULES = 300;

/**
 * Parses a style sheet.
 *
 * @throws Unsupported for selectors other than a class, for at-rules and nested rules
 */
export function sheetOf(css: string): Sheet {
  const plain = withoutComments(css).replaceAll(/<!\[CDATA\[|\]\]>/g, '');
  const rules = plain.split('}');
  if (rules.length > MAX_RULES) throw new Unsupported('number of rules');
  const sheet = rules.flatMap((rule) => {
    if (rule.trim() === '') return [];
    const [selectors = '', body, ...rest] = rule.split('{');
    if (body === undefined || rest.length > 0) throw new Unsupported('style sheet');
    const properties = declarations(body);
    return selectors.split(',').map((selector) => {
      const className = /^\.([\w-]+)$/.exec(selector.trim())?.[1];
      if (className === undefined) throw new Unsupported(`selector ${selector}`);
      return { className, properties };
    });
  });
  if (sheet.length > MAX_RULES) throw new Unsupported('number of selectors');
  return sheet;
}

function withoutComments(css: string): string {
  const [first = '', ...parts] = css.split('/*');
  return first + parts.map((part) => part.split('*/').slice(1).join('*/')).join('');
}

/** Returns the properties that an element itself has. @throws Unsupported */
function ownProperties(attributes: Properties, sheet: Sheet): Properties {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const isProperty =
      INHERITED.includes(name) || OWN.includes(name) || OTHER_PROPERTIES.test(name);
    if (!isProperty && name !== 'stroke-dashoffset') continue;
    check(name, value.trim());
    own[name] = value.trim();
  }
  const classes = (attributes['class'] ?? '').split(/\s+/);
  for (const { className, properties } of sheet) {
    if (classes.includes(className)) Object.assign(own, properties);
  }
  return Object.assign(own, declarations(attributes['style'] ?? ''));
}

/**
 * Returns the computed properties of an element.
 *
 * @param parent computed properties of its parent
 * @throws Unsupported for a property that shapes cannot carry over
 */
export function propertiesOf(attributes: Properties, sheet: Sheet, parent: Properties): Properties {
  const inherited = Object.entries(parent).filter(([name]) => INHERITED.includes(name));
  const own = Object.entries(ownProperties(attributes, sheet)).filter(
    ([name, value]) => value !== 'inherit' || OWN.includes(name),
  );
  return Object.fromEntries([...inherited, ...own]);
}
