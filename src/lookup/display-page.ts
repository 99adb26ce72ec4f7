/** A line of a display page: a label and a text that can be copied or opened. */
export interface DisplayRow {
  label: string;
  /** Text, possibly of several lines. */
  value: string;
  /** Link on the value: `mailto:`, `tel:` or a web address. */
  href?: string;
  /** Shows a button that copies the value. */
  copy?: true;
  /** The amount of a payment, in larger letters. */
  isAmount?: true;
}

/** A button of a display page whose label is not translated. */
export interface DisplayLink {
  label: string;
  href: string;
  /** Social network, which decides the icon. */
  icon?: string | undefined;
  /** Further text on the button, such as the name in the network. */
  note?: string | undefined;
}

/**
 * The page that a dynamic QR code shows instead of a redirect. It is built when the code is saved,
 * so that the redirect process needs no knowledge of content types. Its words are English, and
 * translated when it is shown.
 */
export interface DisplayPage {
  /** Type of the content, which decides the page's icon. */
  type: string;
  title: string;
  /** The title is the owner's text and is not translated. */
  isOwnTitle?: true | undefined;
  /** One sentence under the title. */
  subtitle?: string | undefined;
  /** Buttons, the most likely one first. */
  actions: { label: string; href: string }[];
  rows: DisplayRow[];
  /** Buttons with labels of the owner, one below another. */
  links?: DisplayLink[] | undefined;
  /** A stored image of the workspace that is shown instead of the icon. */
  picture?: { id: string; width: number; height: number } | undefined;
  /** A place that a map shows, in degrees; the operator may have none. */
  place?: { latitude: number; longitude: number } | undefined;
  /**
   * A code on the page for another phone to scan: its label, its side in modules, and its SVG path.
   */
  code?: { label: string; size: number; path: string } | undefined;
  /** A file to open on the phone, such as a contact. */
  file?: { label: string; name: string; type: string; text: string } | undefined;
  /** Links of the thing that a GS1 Digital Link names: the page lists them, and scans follow one. */
  resolver?: Resolver | undefined;
}

/** A GS1 Digital Link, such as of a product or one of its batches, with its links. */
export interface Resolver {
  /** Canonical path, percent-encoded, with its leading slash. */
  path: string;
  /** Keys of the Digital Links above it, the nearest first. */
  above?: string[] | undefined;
  /** The first one is the default. */
  links: ResolverLink[];
}

export interface ResolverLink {
  /** Link type: `gs1:pip`, or the URI of another vocabulary. */
  type: string;
  url: string;
  title: string;
  /** Language tag (BCP 47). */
  language?: string | undefined;
  mediaType?: string | undefined;
}
