import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Bucket } from '../../scripts/backup/bucket.ts';
import { deleteOldGenerations } from '../../scripts/backup/generations.ts';
import { freePorts } from '../../scripts/ports.ts';
import { reloadConfig } from '../../src/config.ts';
import { S3Server } from '../support/s3-server.ts';

const SETTINGS = ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
/** More than one part of an upload. */
const LARGE = 20 * 1024 * 1024;

describe('backups in a bucket', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-bucket-'));
  let s3: S3Server;

  function use(settings: Record<string, string>): void {
    for (const name of SETTINGS) delete process.env[name];
    Object.assign(process.env, settings);
    reloadConfig();
  }

  before(async () => {
    s3 = await S3Server.start();
  });

  beforeEach(() => {
    s3.objects.clear();
    use(s3.settings);
  });

  after(async () => {
    use({});
    await s3.stop();
    rmSync(folder, { recursive: true });
  });

  it('are uploaded with the manifest last, in parts if large, and downloaded the same', async () => {
    const files: Record<string, Buffer> = {
      'manifest.json': Buffer.from('{}'),
      'spool.gz': Buffer.alloc(0),
      'tables/links + more.gz': randomBytes(100),
      'tables/events.gz': randomBytes(LARGE),
    };
    const from = path.join(folder, 'from');
    mkdirSync(path.join(from, 'tables'), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(path.join(from, name), content);
    }
    await new Bucket('s3://backups/links/').upload(from, '2026-03-02T030000');
    expect(s3.requests.at(-1)).to.contain('PUT /backups/links/2026-03-02T030000/manifest.json');
    expect(s3.requests.filter((asked) => asked.includes('partNumber='))).to.have.length(3);
    const to = path.join(folder, 'to');
    await new Bucket('s3://backups/links/2026-03-02T030000').download(to);
    for (const [name, content] of Object.entries(files)) {
      expect(readFileSync(path.join(to, name)).equals(content), name).to.equal(true);
    }
  });

  it('are deleted beyond a number, complete ones and what was begun a day ago', async () => {
    const put = (key: string) => s3.objects.set(`backups/links/${key}`, Buffer.from('x'));
    for (const day of ['01', '02', '03']) {
      put(`2026-03-${day}T030000/manifest.json`);
      for (let n = 0; n < 5; n += 1) put(`2026-03-${day}T030000/tables/${n}.gz`);
    }
    put('2026-03-04T030000/spool.gz');
    put('others/manifest.json');
    s3.objects.set('backups/links-2/2020-03-03T030000/manifest.json', Buffer.from('x'));
    const now = new Date().toISOString().slice(0, 19).replaceAll(':', '');
    put(`${now}/spool.gz`);
    expect(await deleteOldGenerations(new Bucket('s3://backups/links'), 2)).to.equal(1);
    const left = new Set([...s3.objects.keys()].map((key) => key.split('/').slice(1, 3).join('/')));
    expect([...left]).to.have.members([
      'links/2026-03-02T030000',
      'links/2026-03-03T030000',
      'links/others',
      'links-2/2020-03-03T030000',
      `links/${now}`,
    ]);
  });

  it('say in one line what is wrong', async () => {
    const list = (url: string) =>
      new Bucket(url).list().then(
        () => '',
        (error: Error) => error.message,
      );
    expect(() => new Bucket('s3:///links')).to.throw('must be s3://<bucket>/<path>');
    use({ ...s3.settings, S3_SECRET_ACCESS_KEY: 'wrong' });
    expect(await list('s3://backups'))
      .to.contain('SignatureDoesNotMatch')
      .and.not.contain('\n');
    const [port] = await freePorts(1);
    use({ ...s3.settings, S3_ENDPOINT: `http://127.0.0.1:${port}` });
    expect(await list('s3://backups')).to.contain('ECONNREFUSED');
    use({});
    expect(() => new Bucket('s3://backups')).to.throw('Set S3_ENDPOINT, S3_ACCESS_KEY_ID and');
  });
});
