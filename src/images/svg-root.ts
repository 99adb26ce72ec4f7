/** An SVG from its root element on, or `declares` if declarations precede it. */
export type SvgRoot = { svg: string } | 'declares';

/**
 * Skips everything in front of the root element of an SVG: an XML declaration, comments,
 * instructions, a DOCTYPE. Drawing programs write all of them, and drawing needs none, because the
 * text is already UTF-8. Only a DOCTYPE can declare entities, which expand kilobytes to gigabytes
 * (XML 1.0, 2.8).
 *
 * @returns `declares` for a DOCTYPE with an internal subset; `undefined` when the text is not an
 * SVG
 */
export function svgRoot(text: string): SvgRoot | undefined {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    let end: number | undefined | 'declares';
    if (text.startsWith('<?', at)) end = behind(text, '?>', at + 2);
    else if (text.startsWith('<!--', at)) end = behind(text, '-->', at + 4);
    else if (/^<!doctype$/i.test(text.slice(at, at + 9))) end = behindDoctype(text, at + 9);
    else break;
    if (end === undefined || end === 'declares') return end;
    at = end;
  }
  return /^<svg[\s/>:]/.test(text.slice(at, at + 5)) ? { svg: text.slice(at) } : undefined;
}

function behind(text: string, sign: string, from: number): number | undefined {
  const start = text.indexOf(sign, from);
  return start < 0 ? undefined : start + sign.length;
}

function behindDoctype(text: string, from: number): number | undefined | 'declares' {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!;
    if (sign === '>') return at + 1;
    if (sign === '[') return 'declares';
    if (sign !== '"' && sign !== "'") continue;
    // A quoted address may contain any of these characters.
    at = text.indexOf(sign, at + 1);
    if (at < 0) return undefined;
  }
  return undefined;
}
