import { expect } from 'chai';
import { pruneReporters } from '../../src/admin/abuse-reports.ts';
import { db } from '../../src/infra/db.ts';
import { pruneKeptNames } from '../../src/short-links/kept-names.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { imported, rest } from '../support/imports.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type VisitOptions, visit, type World } from '../support/world.ts';

const PATH = '/_/report';
let networks = 0;
/** Creates the headers of a visitor from a new network, since reports are limited per network. */
const elsewhere = () => {
  networks += 1;
  return { 'x-forwarded-for': `198.18.${networks >> 8}.${networks & 255}` };
};

describe('abuse reports', () => {
  let world: World;
  let operator: ApiClient;
  let link: { id: string; shortLink: string };

  beforeEach(async () => {
    world = await aWorkspace();
    operator = (await aPerson({ isOperator: true })).api;
    link = (await world.api.post('/links', { url: 'https://bad.test/login', key: 'prize' })).body;
  });

  const send = (form: Record<string, string>, options: VisitOptions = {}) =>
    visit(PATH, { host: world.domain, form, headers: elsewhere(), ...options });
  const list = async (query: Record<string, string> = {}) =>
    (await operator.get('/admin/abuse-reports', { search: world.domain, ...query })).body;
  const reported = (count = 1) =>
    eventually(async () => {
      const reports = await list();
      expect(reports).to.have.lengthOf(count);
      return reports;
    });
  const aReport = async (more: Record<string, string> = {}) => {
    const { status } = await send({ link: link.shortLink, category: 'phishing', ...more });
    expect(status).to.equal(200);
  };

  it('are sent by a form, from every domain, with the link filled in', async () => {
    const { status, headers, body } = await visit(
      `${PATH}?link=${encodeURIComponent(link.shortLink)}`,
      { host: world.domain, headers: { 'accept-language': 'fr' } },
    );
    expect(status).to.equal(200);
    expect(body).to.contain('Signaler un lien').and.to.contain(`value="${link.shortLink}"`);
    expect(headers['content-security-policy']).to.match(/default-src 'none'.*script-src 'none'/);
    expect((await visit(PATH, { host: 'nobody.test' })).status).to.equal(404);
    expect((await visit('/prize+', { host: world.domain })).body).to.contain(
      `href="${PATH}?link=${encodeURIComponent(link.shortLink)}"`,
    );
  });

  it('reach operators with the link, its workspace and the reporter', async () => {
    const sent = { category: 'malware', comment: 'It <b>asks</b>\nfor money', email: 'ada@a.test' };
    await aReport(sent);
    const [report] = await reported();
    expect(report).to.include({ state: 'open', answer: null, ...sent });
    expect(report.ip).to.match(/^198\.18\./);
    expect(report.workspace).to.deep.equal({ id: world.projectId, slug: world.slug });
    expect(report.link).to.deep.equal({
      id: link.id,
      shortLink: link.shortLink,
      url: 'https://bad.test/login',
      reportedUrl: 'https://bad.test/login',
      blocked: false,
      openReports: 1,
    });
    const { body } = await operator.get(`/admin/abuse-reports/${report.id}`);
    expect(body).to.deep.equal(report);
    expect(await list({ state: 'resolved' })).to.deep.equal([]);
    expect(await list({ category: 'malware', state: 'open' })).to.deep.equal([report]);
    expect((await operator.get('/admin/abuse-reports/rep_none')).status).to.equal(404);
  });

  it('find QR codes, and links by their other addresses', async () => {
    const { body: code } = await world.api.post('/qrcodes', { type: 'text', text: 'a', key: 'qr' });
    const { body: wild } = await world.api.post('/links', { url: 'https://bad.test', key: 'w/*' });
    const { domain } = world;
    for (const typed of [
      `${domain}/qr?a=b`,
      `HTTP://${domain.toUpperCase()}/prize/`,
      `${domain}/w/a`,
    ]) {
      expect((await send({ link: typed, category: 'other' })).status).to.equal(200);
    }
    const found = (await reported(3)).map((report: { link: { id: string } }) => report.link.id);
    expect(found).to.have.members([code.id, link.id, wild.id]);
  });

  it('are thanked for alike whether the link is there or not', async () => {
    const answers = await Promise.all(
      [link.shortLink, `${world.domain}/nothing`, 'nobody.test/a', world.domain].map((typed) =>
        send({ link: typed, category: 'spam' }),
      ),
    );
    const [first] = answers;
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body).to.equal(first!.body);
    }
    expect((await reported()).length).to.equal(1);
  });

  const faults: Record<string, [form: Record<string, string>, message: string]> = {
    'without a link': [{ category: 'spam' }, 'Please fill in this field.'],
    'of no link': [{ link: 'http://[', category: 'spam' }, 'Please enter a short link.'],
    'without a category': [{ link: 'a.test/b' }, 'Please fill in this field.'],
    'of another category': [{ link: 'a.test/b', category: 'constructor' }, 'Please choose one'],
    'with a long comment': [
      { link: 'a.test/b', category: 'spam', comment: 'x'.repeat(2_001) },
      'This is too long.',
    ],
    'with no address': [
      { link: 'a.test/b', category: 'spam', email: 'ada' },
      'Please enter an email address.',
    ],
  };
  for (const [what, [form, message]] of Object.entries(faults)) {
    it(`are refused ${what}, and what was filled in stays`, async () => {
      const { status, body } = await send({ comment: '"><script>alert(1)</script>', ...form });
      expect(status).to.equal(422);
      expect(body).to.contain(message);
      expect(body).not.to.contain('<script>');
    });
  }

  it('are no way to send something else, or too much', async () => {
    const send = (body: string, headers = {}) =>
      visit(PATH, { host: world.domain, method: 'POST', body, headers });
    const json = await send('{}', { 'content-type': 'application/json' });
    expect(json.status).to.equal(400);
    expect((await send(`comment=${'x'.repeat(600_000)}`)).status).to.equal(413);
    const { status, body } = await visit(`${PATH}?link=%22%3E%3Cscript%3E%FF`, {
      host: world.domain,
    });
    expect(status).to.equal(200);
    expect(body).to.contain('value="&quot;&gt;&lt;script&gt;').and.not.to.contain('<script>');
  });

  it('are limited by network', async () => {
    const headers = elsewhere();
    const form = { link: `${world.domain}/nothing`, category: 'spam' };
    for (let n = 0; n < 10; n += 1) {
      expect((await send(form, { headers })).status).to.equal(200);
    }
    const { status, headers: answered, body } = await send(form, { headers, process: 1 });
    expect(status).to.equal(429);
    expect(Number(answered['retry-after'])).to.be.within(60, 3_600);
    expect(body).to.contain('Too many reports.');
    expect((await send(form)).status).to.equal(200);
  });

  it('block the link by their answer, for visitors within 100 ms, until it is unblocked', async () => {
    await aReport();
    await aReport({ category: 'spam' });
    const [second, first] = await reported(2);
    const answer = { decision: 'block-link', note: 'A copy of a bank' };
    const { status, body } = await operator.put(`/admin/abuse-reports/${first.id}/answer`, answer);
    expect(status).to.equal(200);
    expect(body).to.include({ state: 'resolved' });
    expect(body.link).to.include({ blocked: true, openReports: 0 });
    expect(body.answer).to.include({ ...answer, host: null });
    expect((await operator.get(`/admin/abuse-reports/${second.id}`)).body.state).to.equal(
      'resolved',
    );

    for (const process of [0, 1] as const) {
      const answered = await eventually(async () => {
        const answered = await world.visit('/prize', { process });
        expect(answered.status).to.equal(403);
        return answered;
      }, 1_000);
      expect(answered.body).to.contain('Link blocked').and.to.contain(`href="${PATH}?link=`);
      expect(answered.headers.location).to.equal(undefined);
    }
    expect((await world.visit('/prize+')).status).to.equal(403);
    const { body: blocked } = await operator.get('/admin/blocked-links', { search: world.domain });
    expect(blocked).to.have.lengthOf(1);
    expect(blocked[0]).to.include({ id: link.id, shortLink: link.shortLink, reason: answer.note });
    // A new destination does not unblock the link.
    await world.api.patch(`/links/${link.id}`, { url: 'https://other.test' });
    expect((await world.visit('/prize')).status).to.equal(403);

    const path = `/admin/blocked-links/${link.id}`;
    expect((await operator.delete(path)).status).to.equal(204);
    expect((await operator.delete(path)).status).to.equal(404);
    await eventually(
      async () =>
        expect((await world.visit('/prize')).headers.location).to.equal('https://other.test'),
      1_000,
    );
    const { body: log } = await world.api.get('/audit-log');
    const entries = log.filter(({ action }: { action: string }) => action.endsWith('block'));
    expect(entries.map(({ action }: { action: string }) => action)).to.deep.equal([
      'link.unblock',
      'link.block',
    ]);
    expect(entries[1]).to.deep.include({
      target: { kind: 'link', id: link.id, name: `${world.domain}/prize` },
      actor: { userId: null, name: 'operator' },
    });
  });

  it('block the host by their answer, or are dismissed', async () => {
    const host = `${world.slug}.example`;
    await world.api.patch(`/links/${link.id}`, { url: `https://www.${host}/a` });
    await aReport();
    const [{ id }] = await reported();
    const path = `/admin/abuse-reports/${id}/answer`;
    const missing = await operator.put(path, { decision: 'block-host' });
    expect(missing.status).to.equal(422);
    expect(missing.body.error.message).to.equal('host is required to block a host');

    const { body } = await operator.put(path, { decision: 'dismiss', note: 'Fine' });
    expect(body).to.include({ state: 'dismissed' });
    expect((await world.visit('/prize')).status).to.equal(302);

    const answered = await operator.put(path, { decision: 'block-host', host });
    expect(answered.body).to.include({ state: 'resolved' });
    expect(answered.body.answer).to.include({ decision: 'block-host', host });
    const blocked = await operator.get('/admin/blocked-hosts', { search: host });
    expect(blocked.body[0]).to.include({ host, reason: 'Reported: phishing' });
    await eventually(async () => expect((await world.visit('/prize')).status).to.equal(403), 1_000);
    await operator.delete(`/admin/blocked-hosts/${host}`);
    const { body: log } = await world.api.get('/audit-log');
    const actions = log.map(({ action }: { action: string }) => action);
    expect(actions).to.include.members(['report.dismiss', 'host.block']);
    expect(JSON.stringify(log)).not.to.contain('198.18.');
  });

  it('forget who sent them some time after the answer', async () => {
    await aReport({ email: 'ada@a.test' });
    const [{ id }] = await reported();
    await operator.put(`/admin/abuse-reports/${id}/answer`, { decision: 'dismiss' });
    const read = async () => (await operator.get(`/admin/abuse-reports/${id}`)).body;
    await pruneReporters();
    expect(await read()).to.include({ email: 'ada@a.test' });
    const past = new Date(Date.now() - 91 * 86_400_000);
    await db()('abuse_reports').where({ id }).update({ answered_at: past });
    await pruneReporters();
    expect(await read()).to.include({ email: null, ip: null, state: 'dismissed' });
  });
});

describe('the name of a link or QR code that is deleted', () => {
  const A = 'https://example.com/a';
  /** Creates a record with a key by one endpoint, and resolves with the message of a refusal. */
  type Door = (world: World, domain: string, key: string) => Promise<string | undefined>;
  type Answer = { status: number; body: { error?: { message: string } } };
  const refusalIn = ({ status, body: { error } }: Answer) => {
    expect(status).to.be.oneOf([200, 201, 409]);
    return error?.message;
  };
  const doors: Record<string, Door> = {
    'POST /links': async ({ api }, domain, key) =>
      refusalIn(await api.post('/links', { url: A, domain, key })),
    'PUT /links/upsert': async ({ api }, domain, key) =>
      refusalIn(await api.put('/links/upsert', { url: `${A}/${key}`, domain, key })),
    'POST /links/bulk': async ({ api }, domain, key) => {
      const { body } = await api.post('/links/bulk', [{ url: A, domain, key }, { url: A }]);
      return body[0].error?.message;
    },
    'POST /imports': async (world, domain, key) => {
      const file = `url,domain,key\n${A},${domain},${key}\n`;
      const { counts, errors } = await imported(world, file);
      expect(counts.created + counts.refused).to.equal(1);
      return errors[0]?.message;
    },
    'POST /qrcodes': async ({ api }, domain, key) =>
      refusalIn(await api.post('/qrcodes', { type: 'url', url: A, domain, key })),
    'PATCH /links/{id}': async ({ api }, domain, key) => {
      const { body } = await api.post('/links', { url: A, domain });
      return refusalIn(await api.patch(`/links/${body.id}`, { key }));
    },
  };
  /** Operations that end a record with a key. */
  const ends: Record<string, (world: World, domain: string, key: string) => Promise<string>> = {
    'DELETE /links/{id}': async ({ api }, domain, key) => {
      const { body } = await api.post('/links', { url: A, domain, key });
      expect((await api.delete(`/links/${body.id}`)).status).to.equal(200);
      return body.id;
    },
    'DELETE /links/bulk': async ({ api }, domain, key) => {
      const { body } = await api.post('/links', { url: A, domain, key });
      const query = { linkIds: body.id };
      expect((await api.delete('/links/bulk', query)).body).to.deep.equal({ deletedCount: 1 });
      return body.id;
    },
    'DELETE /qrcodes/{id}': async ({ api }, domain, key) => {
      const { body } = await api.post('/qrcodes', { type: 'url', url: A, domain, key });
      expect((await api.delete(`/qrcodes/${body.id}`)).status).to.equal(200);
      return body.id;
    },
    'DELETE /qrcodes/bulk': async ({ api }, domain, key) => {
      const { body } = await api.post('/qrcodes', { type: 'url', url: A, domain, key });
      const query = { qrcodeIds: body.id };
      expect((await api.delete('/qrcodes/bulk', query)).body).to.deep.equal({ deletedCount: 1 });
      return body.id;
    },
    'POST /imports/{id}/undo': async (world, domain, key) => {
      const one = await imported(world, `url,domain,key\n${A},${domain},${key}\n`);
      const { body } = await world.api.get('/links/info', { domain, key });
      expect((await world.api.post(`/imports/${one.id}/undo`)).status).to.equal(200);
      expect((await rest(world, one.id)).undo).to.include({ deleted: 1 });
      return body.id;
    },
  };
  const pass = async (domain: string, key: string) => {
    const { id } = await db()('domains').where({ slug: domain }).first('id');
    const past = new Date(Date.now() - 1_000);
    const aged = await db()('claims').where({ domain_id: id, key }).update({ free_at: past });
    expect(aged).to.equal(1);
  };
  const block = (id: string, { projectId }: World) =>
    db()('blocked_links').insert({
      record_id: id,
      project_id: projectId,
      short_link: 'a.test/b',
      reason: 'Phishing',
    });

  let world: World;
  let other: World;
  let operator: ApiClient;
  before(async () => {
    [world, other] = [await aWorkspace(), await aWorkspace()];
    operator = (await aPerson({ isOperator: true })).api;
  });

  let keys = 0;
  const aKey = () => {
    keys += 1;
    return `${world.slug}-${keys}`;
  };

  for (const [end, remove] of Object.entries(ends)) {
    it(`is nobody’s while the operator blocks it, and then that of its workspace: ${end}`, async () => {
      for (const domain of [world.domain, 'localhost']) {
        const key = aKey();
        const id = await remove(world, domain, key);
        await block(id, world);
        const refused = async () => {
          for (const [door, open] of Object.entries(doors)) {
            for (const tenant of domain === 'localhost' ? [world, other] : [world]) {
              expect(await open(tenant, domain, key), `${door} on ${domain}`).to.match(
                /operator of this service has blocked|taken/,
              );
            }
          }
        };
        await refused();
        await pass(domain, key);
        await pruneKeptNames();
        await refused();
        expect(await doors['POST /links']!(world, domain, key)).to.contain('has blocked');
        expect((await visit(`/${key}`, { host: domain })).status).to.equal(404);

        expect((await operator.delete(`/admin/blocked-links/${id}`)).status).to.equal(204);
        if (domain === 'localhost') {
          expect(await doors['POST /links']!(other, domain, key)).to.contain('taken');
        }
        expect(await doors['POST /links']!(world, domain, key)).to.equal(undefined);
        expect((await visit(`/${key}`, { host: domain })).status).to.equal(302);
      }
    });
  }

  for (const [door, open] of Object.entries(doors)) {
    it(`on the shared domain is its workspace’s at once, and others’ after a day: ${door}`, async () => {
      const keys = await Promise.all(
        Object.entries(ends).map(async ([end, remove]) => {
          const key = aKey();
          await remove(world, 'localhost', key);
          expect(await open(other, 'localhost', key), end).to.contain('taken');
          return key;
        }),
      );
      const [first, ...rest] = keys;
      expect(await open(world, 'localhost', first!)).to.equal(undefined);
      expect((await visit(`/${first}`)).status).to.equal(302);
      for (const [n, key] of rest.entries()) {
        await pass('localhost', key);
        if (n === 0) await pruneKeptNames();
        expect(await open(other, 'localhost', key)).to.equal(undefined);
        expect((await visit(`/${key}`)).status).to.equal(302);
      }
    });
  }

  it('is blocked under every name that a link leaves', async () => {
    const [old, key] = [aKey(), aKey()];
    const { body: link } = await world.api.post('/links', { url: A, key: old });
    await block(link.id, world);
    expect((await world.api.patch(`/links/${link.id}`, { key })).status).to.equal(200);
    await pass(world.domain, old);
    await pruneKeptNames();
    expect(await doors['POST /links']!(world, world.domain, old)).to.contain('has blocked');
    expect((await world.api.patch(`/links/${link.id}`, { key: old })).status).to.equal(200);
  });

  it('is not made free by deleting its domain', async () => {
    const tenant = await aWorkspace();
    const { body: link } = await tenant.api.post('/links', { url: A, key: 'prize' });
    await block(link.id, tenant);
    await tenant.api.delete(`/links/${link.id}`);
    const [domain] = (await tenant.api.get('/domains')).body;
    const { status, body } = await tenant.api.delete(`/domains/${domain.id}`);
    expect(status).to.equal(409);
    expect(body.error.message).to.contain('has blocked');
    await operator.delete(`/admin/blocked-links/${link.id}`);
    expect((await tenant.api.delete(`/domains/${domain.id}`)).status).to.equal(200);
  });
});
