import { config } from '../config.ts';
import { COLUMNS } from '../events/columns.ts';
import { INITIAL_EVENT } from '../events/event.ts';
import { EVENT_KINDS } from '../events/kinds.ts';
import { eventsStore } from '../events/store/index.ts';
import { type Cursor, type ListedEvent, NO_SUMS, type StoredSums } from '../events/store/store.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { PassphraseKey } from '../infra/passphrase.ts';
import { unseal } from '../infra/seal.ts';
import { VERSION } from '../infra/version.ts';
import type { LinkRow } from '../links/model.ts';
import type { QrCodeRow } from '../qrcodes/model.ts';
import type { Field } from '../short-links/field.ts';
import { fields } from '../short-links/fields.ts';
import type { ShortLinkRow } from '../short-links/model.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchiveKind,
  type ArchivePage,
  writeArchive,
} from './archive.ts';
import { type ArchivedCustomer, CUSTOMERS, toArchived } from './archived-customers.ts';

/*
 * Exports a whole workspace in the form that another installation imports (src/imports/workspace).
 * Records refer to tags, folders, domains and customers by names that exist in both installations,
 * and to all others by id. API keys, webhooks and people are left out; passwords are encrypted with
 * a passphrase or left out.
 */

const PAGE = 1_000;

/** A record with its counters and tags. */
interface CountedRecord {
  id: string;
  visits: number | null;
  suspects: number | null;
  leads: number | null;
  sales: number | null;
  refunds: number | null;
  sale_amount_cents: number | null;
  refund_amount_cents: number | null;
  last_visit_at: Date | null;
}

type Wide<Row extends ShortLinkRow> = Row &
  CountedRecord & { tag_names: string[] | null; folder_name: string | null; domain_name: string };

/**
 * Writes the archive of a workspace, in parts, from a single snapshot.
 *
 * @param trx a transaction in which nothing has been read yet
 */
export async function writeWorkspace(
  trx: Db,
  projectId: string,
  passphrase: string | undefined,
): Promise<{ counts: ArchiveHeader['counts']; parts: AsyncGenerator<Buffer, void, undefined> }> {
  await execute(trx, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  const key = passphrase === undefined ? undefined : await PassphraseKey.make(passphrase);
  const [workspace] = await rows<{ name: string }>(
    trx,
    'SELECT name FROM workspaces WHERE id = ?',
    [projectId],
  );
  const header: ArchiveHeader = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    service: VERSION,
    createdAt: new Date().toISOString(),
    workspace: { id: projectId, name: workspace!.name },
    defaultDomain: config().DEFAULT_SHORT_DOMAIN,
    passwords: key?.properties ?? null,
    counts: await countAll(trx, projectId),
  };
  const pages = new WorkspacePages(trx, projectId, key).all();
  return { counts: header.counts, parts: writeArchive(header, pages) };
}

const TABLES: Record<ArchiveKind, string> = {
  domain: 'domains',
  tag: 'tags',
  folder: 'folders',
  utmTemplate: 'utm_templates',
  page: 'pages',
  image: 'images',
  font: 'fonts',
  template: 'templates',
  customer: 'customers',
  link: 'links',
  qrcode: 'qrcodes',
  event: 'events',
};

async function countAll(trx: Db, projectId: string): Promise<ArchiveHeader['counts']> {
  const counts = Object.entries(TABLES)
    .map(
      ([kind, table]) =>
        `(SELECT count(*) FROM ${table} WHERE project_id = :projectId) AS "${kind}"`,
    )
    .join(', ');
  const [row] = await rows<ArchiveHeader['counts']>(trx, `SELECT ${counts}`, { projectId });
  return row!;
}

class WorkspacePages {
  readonly #trx: Db;
  readonly #projectId: string;
  readonly #key: PassphraseKey | undefined;

  constructor(trx: Db, projectId: string, key: PassphraseKey | undefined) {
    this.#trx = trx;
    this.#projectId = projectId;
    this.#key = key;
  }

  async *all(): AsyncGenerator<ArchivePage, void, undefined> {
    yield* this.#simple('domain', DOMAIN);
    yield* this.#simple('tag', 'id, name, color, created_at AS "createdAt"');
    yield* this.#simple('folder', 'id, name, created_at AS "createdAt"');
    yield* this.#simple('utmTemplate', UTM_TEMPLATE);
    yield* this.#pages();
    yield* this.#simple(
      'image',
      `id, width, height, translate(encode(png, 'base64'), E'\\n', '') AS png`,
      10,
    );
    yield* this.#simple(
      'font',
      'id, name, outlines, created_at AS "createdAt", deleted_at AS "deletedAt"',
      10,
    );
    yield* this.#simple('template', 'id, name, design, created_at AS "createdAt"');
    yield* this.#customers();
    for await (const page of this.#shortLinks<LinkRow>('links', 'link_tags', 'link_id')) {
      yield ['link', page.map(([row, sums]) => this.#toLink(row, sums))];
    }
    for await (const page of this.#shortLinks<QrCodeRow>('qrcodes', 'qrcode_tags', 'qrcode_id')) {
      yield ['qrcode', page.map(([row, sums]) => this.#toQrCode(row, sums))];
    }
    yield* this.#events();
  }

  /** Reads rows of a table in order of id, without null values. */
  async *#simple(kind: ArchiveKind, columns: string, limit = PAGE): AsyncGenerator<ArchivePage> {
    const query = `SELECT ${columns} FROM ${TABLES[kind]} WHERE project_id = :projectId AND id > :after`;
    for await (const page of this.#read<{ id: string }>(query, 'id', limit)) {
      yield [kind, page.map(withoutNulls)];
    }
  }

  async *#read<Row extends { id: string }>(
    query: string,
    order: string,
    limit = PAGE,
  ): AsyncGenerator<Row[], void, undefined> {
    for (let after = ''; ; ) {
      const bindings = { projectId: this.#projectId, after, limit };
      const page = await rows<Row>(this.#trx, `${query} ORDER BY ${order} LIMIT :limit`, bindings);
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      after = last.id;
    }
  }

  async *#customers(): AsyncGenerator<ArchivePage> {
    for await (const page of this.#read<ArchivedCustomer>(CUSTOMERS, 'c.id')) {
      const ids = page.map(({ id }) => id);
      const sums = await eventsStore().sumCustomers(this.#trx, this.#projectId, ids);
      const records = page.map((customer) => toArchived(customer, sums.get(customer.id)));
      yield ['customer', records.map(withoutNulls)];
    }
  }

  async *#pages(): AsyncGenerator<ArchivePage> {
    const query = `SELECT r.*, ${COUNTERS} FROM pages r ${JOIN_COUNTERS}
      WHERE r.project_id = :projectId AND r.id > :after`;
    type Row = CountedRecord & { content: object; created_at: Date; updated_at: Date };
    for await (const page of this.#read<Row>(query, 'r.id')) {
      const sums = await this.#sumsOf(page);
      const records = page.map((row) => ({
        id: row.id,
        ...row.content,
        ...timesOf(row),
        ...countersBefore(row, sums.get(row.id)),
      }));
      yield ['page', records];
    }
  }

  async *#shortLinks<Row extends ShortLinkRow>(
    table: string,
    tagTable: string,
    column: string,
  ): AsyncGenerator<[Wide<Row>, StoredSums | undefined][], void, undefined> {
    const query = `SELECT r.*, ${COUNTERS}, d.slug AS domain_name, f.name AS folder_name,
        (SELECT array_agg(t.name ORDER BY rt.position) FROM ${tagTable} rt
           JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
          WHERE rt.project_id = r.project_id AND rt.${column} = r.id) AS tag_names
      FROM ${table} r JOIN domains d ON d.id = r.domain_id ${JOIN_COUNTERS}
      LEFT JOIN folders f ON f.project_id = r.project_id AND f.id = r.folder_id
      WHERE r.project_id = :projectId AND r.id > :after`;
    for await (const page of this.#read<Wide<Row>>(query, 'r.id')) {
      const sums = await this.#sumsOf(page);
      yield page.map((row) => [row, sums.get(row.id)]);
    }
  }

  #sumsOf(page: readonly { id: string }[]): Promise<Map<string, StoredSums>> {
    const ids = page.map(({ id }) => id);
    return eventsStore().sumStored(this.#trx, this.#projectId, ids);
  }

  #toLink(row: Wide<LinkRow>, sums: StoredSums | undefined): object {
    const { url, video, imported_clicks: importedClicks } = row;
    return withoutNulls({ ...this.#shared(row, sums), url, video, importedClicks });
  }

  #toQrCode(row: Wide<QrCodeRow>, sums: StoredSums | undefined): object {
    const { type, content, design, template_id: templateId } = row;
    // The position of an image and the letters are derived from the design and its texts.
    const { middle: _, frameLetters: __, ...look } = design;
    return withoutNulls({
      ...this.#shared(row, sums),
      type,
      ...content,
      static: row.static,
      useDisplayPage: row.use_display_page,
      templateId,
      design: look,
    });
  }

  /** Returns what links and QR codes have in common, named as in their bodies. */
  #shared(row: Wide<ShortLinkRow>, sums: StoredSums | undefined): Record<string, unknown> {
    const columns: Readonly<Record<string, unknown>> = { ...row };
    const written = Object.entries<Field>(fields).flatMap(
      ([name, { in: schema, column, ...field }]) =>
        schema === undefined ||
        column === undefined ||
        field.read !== undefined ||
        EXCLUDED.has(name)
          ? []
          : [[name, columns[column]]],
    );
    return {
      id: row.id,
      domain: row.domain_name,
      ...Object.fromEntries(written),
      ...this.#passwordOf(row),
      tagNames: row.tag_names,
      folder: row.folder_name,
      frameable: row.frameable,
      filled: row.filled,
      testStartedAt: row.test_started_at,
      ...timesOf(row),
      ...countersBefore(row, sums),
    };
  }

  #passwordOf({ project_id, password }: ShortLinkRow): object {
    if (password === null) return {};
    if (this.#key === undefined) return { hasPassword: true };
    const opened = unseal({ purpose: 'password', owner: project_id }, password);
    return { hasPassword: true, password: this.#key.encrypt(opened) };
  }

  async *#events(): AsyncGenerator<ArchivePage> {
    const span = { start: new Date(0), end: new Date(Date.UTC(9999, 0)) };
    for (const kind of EVENT_KINDS) {
      const selection = {
        projectId: this.#projectId,
        kind,
        span,
        filter: { traffic: 'all' as const },
      };
      for (let after: Cursor | undefined; ; ) {
        const events = await eventsStore().list(
          selection,
          { limit: PAGE, order: 'asc', offset: 0, after },
          this.#trx,
        );
        yield ['event', await this.#toEvents(events)];
        after = events.at(-1);
        if (after === undefined || events.length < PAGE) break;
      }
    }
  }

  /**
   * Converts events: columns with initial values are left out, and customers are named by their
   * external ids.
   */
  async #toEvents(events: readonly ListedEvent[]): Promise<object[]> {
    const externalIds = await this.#externalIdsOf(events);
    const existing = await this.#knownOf(events);
    const names = Object.keys(COLUMNS).filter(
      (name) => !['project_id', 'customer_id', 'occurred_at'].includes(name),
    );
    return events.map((event) => {
      const values: Readonly<Record<string, unknown>> = { ...event };
      const initial: Readonly<Record<string, unknown>> = { ...INITIAL_EVENT };
      const changed = names.filter((name) => name === 'event' || values[name] !== initial[name]);
      const { link_id, customer_id } = event;
      const customer = customer_id === null ? undefined : externalIds.get(customer_id);
      return {
        occurred_at: inMicros(event.atMicros),
        ...Object.fromEntries(changed.map((name) => [name, values[name]])),
        customer,
        isOfDeleted: link_id === null || existing.has(link_id) ? undefined : true,
      };
    });
  }

  async #externalIdsOf(events: readonly ListedEvent[]): Promise<Map<string, string>> {
    const ids = [...new Set(events.flatMap(({ customer_id }) => customer_id ?? []))];
    if (ids.length === 0) return new Map();
    const customers = await rows<{ id: string; external_id: string }>(
      this.#trx,
      'SELECT id, external_id FROM customers WHERE project_id = ? AND id = ANY(?)',
      [this.#projectId, ids],
    );
    return new Map(customers.map(({ id, external_id }) => [id, external_id]));
  }

  /** Finds the ids of events' links and QR codes that are not deleted. */
  async #knownOf(events: readonly ListedEvent[]): Promise<Set<string>> {
    const ids = [...new Set(events.flatMap(({ link_id }) => link_id ?? []))];
    const records = await rows<{ id: string }>(
      this.#trx,
      `SELECT id FROM links WHERE project_id = :projectId AND id = ANY(:ids)
        UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND id = ANY(:ids)`,
      { projectId: this.#projectId, ids },
    );
    return new Set(records.map(({ id }) => id));
  }
}

const DOMAIN = `id, slug, target, type, placeholder, expired_url AS "expiredUrl", not_found_url AS "notFoundUrl",
  shlink_paths AS "shlinkPaths", apple_app_site_association::json AS "appleAppSiteAssociation",
  asset_links::json AS "assetLinks", case_sensitive AS "caseSensitive", archived, target_frameable AS "targetFrameable",
  created_at AS "createdAt"`;
const UTM_TEMPLATE =
  'id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content, ref, created_at AS "createdAt"';
const COUNTERS =
  'c.visits, c.suspects, c.leads, c.sales, c.refunds, c.sale_amount_cents, c.refund_amount_cents, c.last_visit_at';
const JOIN_COUNTERS = 'LEFT JOIN counters c ON c.project_id = r.project_id AND c.record_id = r.id';

/** Record fields that an archive leaves out or names differently. */
const EXCLUDED: ReadonlySet<string> = new Set(['domain', 'password', 'folderId', 'webhookIds']);

const withoutNulls = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

const timesOf = ({ created_at, updated_at }: { created_at: Date; updated_at: Date }) => ({
  createdAt: created_at,
  updatedAt: updated_at,
});

/** Formats microseconds since 1970 as ISO 8601. */
function inMicros(atMicros: number): string {
  const ms = Math.floor(atMicros / 1_000);
  const rest = String(atMicros - ms * 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}

/**
 * Returns the counts of a record that its stored events do not account for, because retention has
 * deleted events.
 */
function countersBefore(row: CountedRecord, sums: StoredSums | undefined): object {
  const stored = sums ?? NO_SUMS;
  const before = {
    visits: Math.max(0, (row.visits ?? 0) - stored.visits),
    suspects: Math.max(0, (row.suspects ?? 0) - stored.suspects),
    leads: Math.max(0, (row.leads ?? 0) - stored.leads),
    sales: Math.max(0, (row.sales ?? 0) - stored.sales),
    refunds: Math.max(0, (row.refunds ?? 0) - stored.refunds),
    saleAmountCents: Math.max(0, (row.sale_amount_cents ?? 0) - stored.saleAmountCents),
    refundAmountCents: Math.max(0, (row.refund_amount_cents ?? 0) - stored.refundAmountCents),
  };
  if (Object.values(before).every((count) => count === 0)) return {};
  return { countersBefore: { ...before, lastVisitAt: row.last_visit_at } };
}
