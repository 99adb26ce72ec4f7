import { request } from 'node:http';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

type Row = [headers: Record<string, string>, address: string];

const CLIENT = '192.0.2.7';
const EDGE = '172.70.1.1';
const from = (header: string) => ({ 'x-forwarded-for': header });

/** Sends a request to a process on this machine. @returns the status */
function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const outgoing = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Checks that both processes read the address of each row. */
async function expectAddresses(
  { apiPort, redirectPort }: { apiPort: number; redirectPort: number },
  rows: readonly Row[],
): Promise<void> {
  const { api, apiKey, domain, set } = await aWorkspace();
  await set({ clickDedupeSeconds: 0, keepFullIp: true });
  await api.post('/links', { url: 'https://example.com/', key: 'a' });
  const click = JSON.stringify({ domain, key: 'a' });
  for (const [place, [headers]] of rows.entries()) {
    const common = { ...headers, 'user-agent': browser() };
    const visit = { ...common, host: domain, referer: `https://redirect.example/${place}` };
    expect(await send(redirectPort, 'GET', '/a', visit)).to.equal(302);
    const tracked = {
      ...common,
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      referer: `https://api.example/${place}`,
    };
    const path = '/compat/dub/track/click';
    expect(await send(apiPort, 'POST', path, tracked, click)).to.equal(200);
  }
  await eventually(async () => {
    // Some send what only programs do.
    const { body } = await api.get('/events', { limit: 1_000, traffic: 'all' });
    const seen = body.map(({ click: { refererUrl, ip } }: Click) => [refererUrl, ip]);
    const expected = rows.flatMap(([, address], place) => [
      [`https://redirect.example/${place}`, address],
      [`https://api.example/${place}`, address],
    ]);
    expect(seen).to.have.deep.members(expected);
  });
}

interface Click {
  click: { refererUrl: string; ip: string };
}

describe('the address of a client, in the API and the redirect process', () => {
  it('is read from X-Forwarded-For, and of Cloudflare from CF-Connecting-IP', async () => {
    const connecting = (ip: string, header: string) => ({
      ...from(header),
      'cf-connecting-ip': ip,
    });
    const ports = {
      apiPort: Number(new URL(stack().apiUrl).port),
      redirectPort: stack().redirectPort,
    };
    await expectAddresses(ports, [
      [from(CLIENT), CLIENT],
      [from(`6.6.6.6, ${CLIENT}`), CLIENT],
      [from(`6.6.6.6, ${CLIENT}:4711, ::ffff:127.0.0.1`), CLIENT],
      [from('[2001:db8::7]:4711'), '2001:db8::7'],
      [from(`${CLIENT}, unknown`), '127.0.0.1'],
      [{ ...from(CLIENT), forwarded: 'for=6.6.6.6' }, CLIENT],
      [{ forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6' }, '127.0.0.1'],
      [connecting(CLIENT, EDGE), CLIENT],
      [connecting('2001:db8::7', '6.6.6.6, 2400:cb00::1'), '2001:db8::7'],
      [connecting('6.6.6.6', `${EDGE}, ${CLIENT}`), CLIENT],
      [connecting('unknown', EDGE), EDGE],
      [{ 'cf-connecting-ip': '6.6.6.6' }, '127.0.0.1'],
    ]);
  });

  describe('with PROXY_HEADER=forwarded', () => {
    let processes: OneProcess[];
    let ports: { apiPort: number; redirectPort: number };

    before(async () => {
      const [apiPort = 0, redirectPort = 0] = await freePorts(2);
      ports = { apiPort, redirectPort };
      const settings = {
        HEALTH_PORT: '0',
        API_PORT: String(apiPort),
        REDIRECT_PORT: String(redirectPort),
        TRUST_PROXY: 'loopback,cloudflare',
        PROXY_HEADER: 'forwarded',
      };
      processes = ['api', 'redirect'].map((name) => new OneProcess(name, settings));
      await Promise.all(processes.map((one) => one.logged('ready')));
    });
    after(() => Promise.all(processes.map((one) => one.stop())));

    it('is read from Forwarded alone', async () => {
      const elements = (header: string) => ({ forwarded: header });
      await expectAddresses(ports, [
        [elements(`for=${CLIENT};proto=https`), CLIENT],
        [elements('for=6.6.6.6, for="[2001:db8::7]:4711";by=_proxy'), '2001:db8::7'],
        [elements(`for=6.6.6.6;host=", For="${CLIENT}:80", for=127.0.0.2`), CLIENT],
        [elements('for=6.6.6.6, for=_hidden'), '127.0.0.1'],
        [elements('for=6.6.6.6, for='), '127.0.0.1'],
        [{ ...from('6.6.6.6'), ...elements(`for=${CLIENT}`) }, CLIENT],
        [from('6.6.6.6'), '127.0.0.1'],
        [{ 'cf-connecting-ip': CLIENT, ...elements(`for=${EDGE}`) }, CLIENT],
      ]);
    });
  });
});
