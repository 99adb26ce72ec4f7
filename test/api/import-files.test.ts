import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import {
  type ImportFile,
  SERVICE_FILES,
  SPELLINGS,
  SPREADSHEET_FILES,
} from '../data/import-files.ts';
import { linkOf, rest, upload } from '../support/imports.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Uploads a file for a check, in the names of a workspace. */
function send(world: World, { file, type = 'text/csv', query = {} }: ImportFile) {
  const own = typeof file === 'string' ? file.replaceAll('go.test', world.domain) : file;
  return upload(world, own, { ...query, dryRun: true }, { 'content-type': type });
}

/** Checks and imports a file: every address of it redirects, or the check has said why not. */
async function tryFile(one: ImportFile): Promise<void> {
  const world = await aWorkspace();
  const { status, body } = await send(world, one);
  if (one.refusal !== undefined) {
    expect(status, JSON.stringify(body)).to.equal(422);
    expect(body.error.message).to.equal(one.refusal);
    return;
  }
  expect(status, JSON.stringify(body)).to.equal(201);
  const { links = {}, dead = [], fields = {}, keyless = 0, errors = [] } = one;
  const checked = await rest(world, body.id);
  const messages = (list: { message: string }[]) => list.map(({ message }) => message);
  expect(messages(checked.errors)).to.deep.equal(errors);
  expect(messages(checked.warnings)).to.deep.equal(one.warnings ?? []);
  expect(checked.keyless).to.equal(keyless);
  const path = `/imports/${checked.id}/start`;
  if (keyless > 0) {
    const refused = await world.api.post(path);
    expect(refused.status).to.equal(422);
    expect(refused.body.error.message).to.match(/^allowRandomKeys must be true: /);
  }
  const query = keyless > 0 ? { allowRandomKeys: true } : {};
  expect((await world.api.post(path, undefined, { query })).status).to.equal(200);
  const done = await rest(world, checked.id);
  expect(done.counts).to.deep.equal(checked.counts);
  expect(messages(done.errors)).to.deep.equal(errors);
  for (const [key, url] of Object.entries(links)) {
    const { headers } = await world.visit(`/${encodeURI(key)}`);
    expect(headers.location, key).to.equal(url);
  }
  for (const key of dead) {
    const link = await linkOf(world, key);
    expect(link, key).to.include({ archived: true });
    expect(Date.parse(link.expiresAt), key).to.be.below(Date.now());
    expect((await world.visit(`/${key}`)).headers.location, key).to.equal(undefined);
  }
  for (const [key, expected] of Object.entries(fields)) {
    expect(await linkOf(world, key), key).to.deep.include(expected);
  }
}

describe('imports of files as they are found', () => {
  const groups = {
    'of services': SERVICE_FILES,
    'with keys': SPELLINGS,
    'from spreadsheets and databases': SPREADSHEET_FILES,
  };
  for (const [group, files] of Object.entries(groups)) {
    describe(group, () => {
      for (const [name, file] of Object.entries(files)) it(name, () => tryFile(file));
    });
  }

  it('without keys need consent: when they are uploaded, started, or in their options', async () => {
    const world = await aWorkspace();
    const file = 'Long URL,code name\nhttps://example.com/,abc\n';
    const sentence = 'the only row has no key: its link would get a random one';
    const refused = await upload(world, file);
    expect(refused.status).to.equal(422);
    expect(refused.body.error.message).to.equal(`allowRandomKeys must be true: ${sentence}`);
    expect((await world.api.get('/imports')).body).to.deep.equal([]);
    const wrong = await upload(world, file, { allowRandomKeys: 'perhaps' });
    expect(wrong.body.error.message).to.equal('allowRandomKeys must be a boolean');

    const allowed = await upload(world, file, { allowRandomKeys: true });
    expect((await rest(world, allowed.body.id)).warnings).to.deep.equal([
      { column: null, rows: 1, message: 'The only row has no key: its link got a random one' },
    ]);

    const { id } = (await upload(world, file, { dryRun: true })).body;
    await rest(world, id);
    const path = `/imports/${id}`;
    const words = await world.api.patch(path, { allowRandomKeys: 'true' });
    expect(words.body.error.message).to.equal('allowRandomKeys must be a boolean');
    await world.api.patch(path, { allowRandomKeys: true });
    const open = await rest(world, id);
    expect(open.options.allowRandomKeys).to.equal(true);
    expect(open.counts.created).to.equal(1);
    // A column of keys makes the consent unnecessary.
    await world.api.patch(path, { allowRandomKeys: false, mapping: { 'code name': 'key' } });
    expect(await rest(world, id)).to.deep.include({ keyless: 0, warnings: [] });
    await world.api.patch(path, { mapping: { 'code name': null } });
    expect((await rest(world, id)).keyless).to.equal(1);
    expect((await world.api.post(`${path}/start`)).status).to.equal(422);
    // While the check counts the rows again, nobody knows how many have no key.
    const row = db()('imports').where({ project_id: world.projectId, id });
    await row.clone().update({
      state: 'checking',
      file: db().raw(`jsonb_set(file, '{isCounting}', 'true')`),
    });
    const early = await world.api.post(`${path}/start`);
    expect(early.status).to.equal(409);
    expect(early.body.error.message).to.equal(
      'The import must not be started before its check has ended: its columns have changed',
    );
    expect((await world.api.get(path)).body.warnings).to.deep.equal([]);
    await row.clone().update({ state: 'checked' });
    await world.api.patch(path, { allowRandomKeys: true });
    expect((await world.api.post(`${path}/start`)).status).to.equal(200);
  });

  it('refuse a column to leave out that neither the file nor the service has', async () => {
    const world = await aWorkspace();
    const file = SERVICE_FILES['Dub, through a spreadsheet']!;
    const { status, body } = await send(world, { ...file, query: { mapping: '{"Nothing":null}' } });
    expect(status).to.equal(422);
    expect(body.error.message).to.equal(
      'mapping must not name "Nothing": the file has no such column',
    );
  });
});
