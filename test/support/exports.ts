import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { db } from '../../src/infra/db.ts';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

type Api = World['api'];

/** Waits until an export of QR codes has ended. @returns its record */
export const endOfExport = (api: Api, id: string) =>
  eventually(async () => {
    const { status, body } = await api.get(`/exports/${id}/progress`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.state).to.be.oneOf(['done', 'failed', 'cancelled']);
    return body;
  });

/** Exports QR codes, and waits for the file. @returns the record, and the bytes of the file */
export async function exported(api: Api, request: object) {
  const { status, body, headers } = await api.post('/exports', { type: 'qrcodes', ...request });
  expect(status, JSON.stringify(body)).to.equal(201);
  expect(headers.get('location')).to.equal(`/exports/${body.id}/progress`);
  const record = await endOfExport(api, body.id);
  expect(record.state).to.equal('done');
  const response = await fetch(record.url);
  expect(response.status).to.equal(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes).to.have.length(record.bytes);
  return { record, bytes, headers: response.headers };
}

/** Exports a new QR code, and leaves the export in the state of one that is not done. */
export async function anOpenExport(api: Api): Promise<string> {
  const created = await api.post('/qrcodes', { type: 'url', url: 'https://example.com/' });
  const { record } = await exported(api, { qrcodeIds: [created.body.id] });
  // A worker would end it within milliseconds.
  await db()('exports').where({ id: record.id }).update({ state: 'running' });
  return record.id;
}

/** Unpacks a ZIP file. @returns the files by name */
export const unzipped = (bytes: Uint8Array): Record<string, Buffer> =>
  Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content)]),
  );
