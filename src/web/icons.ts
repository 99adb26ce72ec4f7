import { type Html, html } from './layout.ts';

/** Outlines in a square of 24 by 24, drawn with strokes. */
const PATHS = {
  wifi: 'M2.5 9.5a13.6 13.6 0 0 1 19 0M5.7 13a9 9 0 0 1 12.6 0M8.9 16.4a4.5 4.5 0 0 1 6.2 0M12 19.8h.01',
  vcard: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0z',
  text: 'M4.5 6h15M4.5 10h15M4.5 14h15M4.5 18h8.5',
  phone:
    'M6 3.5h3.2l1.6 4.6-2.2 1.7a12 12 0 0 0 5.6 5.6l1.7-2.2 4.6 1.6V18a2.5 2.5 0 0 1-2.7 2.5A16 16 0 0 1 3.5 6.2 2.5 2.5 0 0 1 6 3.5z',
  email:
    'M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM3.4 7.2L12 13.5l8.6-6.3',
  sms: 'M5 4h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7.5L7 20.5V17H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM7.5 8.7h9M7.5 12.3h5.5',
  facetime:
    'M4.5 6h9a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2zM15.5 11l6-3.5v9l-6-3.5',
  latlog:
    'M12 21.5s7-6.2 7-11.8a7 7 0 0 0-14 0c0 5.6 7 11.8 7 11.8zM12 12.2a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  crypto:
    'M18 8.5V5.4a1 1 0 0 0-1-1H5.8a2.1 2.1 0 0 0 0 4.1h13.7a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-14a2 2 0 0 1-2-2V6.5M20.5 12h-4a2 2 0 0 0 0 4h4',
  pix: 'M12 2.8l9.2 9.2-9.2 9.2L2.8 12zM8.3 12h7.4M12.9 9.2l2.8 2.8-2.8 2.8',
  event:
    'M6 5h12a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM4 10h16M8 3v4M16 3v4',
  epc: 'M3.5 9.5L12 4l8.500 5.500zM5.500 9.500v8M10 9.500v8M14 9.500v8M18.500 9.500v8M3.500 20h17',
  upi: 'M7 4h10M7 8.500h10M7 4h3.500a4.500 4.500 0 0 1 0 9H7l7.500 7.500',
  lightning: 'M13 2.500L5 13.500h6l-1 8 8-11h-6z',
  swissqr:
    'M5 3.500h14a1.500 1.500 0 0 1 1.500 1.500v14a1.500 1.500 0 0 1-1.500 1.500H5A1.500 1.500 0 0 1 3.500 19V5A1.500 1.500 0 0 1 5 3.500zM12 7.500v9M7.500 12h9',
  app: 'M8 2.500h8a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM11 18.500h2',
  gs1: 'M3.5 5v14M7 5v14M10.5 5v14M13 5v14M16.5 5v14M20.5 5v14',
  links: 'M4.500 6h.01M4.500 12h.01M4.500 18h.01M9 6h11M9 12h11M9 18h11',
  social:
    'M7 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM17 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM17 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9.200 10.800l5.600-3.800M9.200 13.200l5.600 3.800',
  web: 'M7 17L17 7M8.5 7H17v8.5',
  save: 'M12 3.5V15M7.5 10.8L12 15.3l4.5-4.500M4.5 16v2.500a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2V16',
  copy: 'M10.5 8.500h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM15.5 8.500v-3a2 2 0 0 0-2-2h-8a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h3',
  check: 'M4.5 12.500l5 5L19.5 7',
};

export type IconName = keyof typeof PATHS;

/** Builds an icon next to a text with the same meaning, hidden from screen readers. */
export const iconOf = (name: string, path: string): Html =>
  html`<svg class="icon-${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${path}"/></svg>`;

/** All icons by their names. */
export const ICONS = Object.fromEntries(
  Object.entries(PATHS).map(([name, path]) => [name, iconOf(name, path)]),
) as Readonly<Record<IconName, Html>>;

/** Icon of a content type; a sheet of text for types without one. */
export function typeIcon(type: string): Html {
  return Object.hasOwn(ICONS, type) ? ICONS[type as IconName] : ICONS.text;
}
