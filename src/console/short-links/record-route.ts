import type { ListKind } from './list-kind.ts';

/** Fragment of the URL that scrolls a record's page to its chart. */
export const CHART = 'chart';
/** Fragment of the URL that scrolls a record's page to its history. */
export const HISTORY = 'history';

/** Returns the route of a record's page. */
export const routeOf = ({ list }: Pick<ListKind, 'list'>, workspace: string, id: string) =>
  list === 'links'
    ? ({ to: '/$workspace/links/$link', params: { workspace, link: id } } as const)
    : ({ to: '/$workspace/qrcodes/$qrcode', params: { workspace, qrcode: id } } as const);

/** Path of a record in the API, and its parameters. */
export const apiPathOf = ({ list }: Pick<ListKind, 'list'>, id: string) =>
  list === 'links'
    ? { path: '/links/{linkId}', of: { linkId: id } }
    : { path: '/qrcodes/{qrcodeId}', of: { qrcodeId: id } };
