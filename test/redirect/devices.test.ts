import { expect } from 'chai';
import { DEVICE_AGENTS, type DeviceAgent, headersOf } from '../data/device-agents.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const WEB = 'https://example.com/web';
const IOS = 'https://example.com/ios';
const ANDROID = 'https://example.com/android';
const RULED = 'https://example.com/ruled';

describe('devices of visitors', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const create = async (fields: object) => {
    const { status, body } = await world.api.post('/links', { url: WEB, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
  };
  const locationOf = async (key: string, agent: DeviceAgent, ip = '192.0.2.1') => {
    const { status, headers } = await world.visit(`/${key}`, {
      headers: { ...headersOf(agent), 'x-forwarded-for': ip },
    });
    expect(status).to.equal(302);
    return headers.location;
  };

  it('decide which store a link opens, and are in the events', async () => {
    await create({ key: 'app', ios: IOS, android: ANDROID });
    for (const [at, agent] of DEVICE_AGENTS.entries()) {
      const { platform } = agent;
      const expected = platform === undefined ? WEB : platform === 'ios' ? IOS : ANDROID;
      // Some have one user agent.
      const ip = `192.0.2.${at + 1}`;
      expect(await locationOf('app', agent, ip), agent.name).to.equal(expected);
    }
    const summary = ({ device, os, browser }: Record<'device' | 'os' | 'browser', string>) =>
      `${device}, ${os}, ${browser}`;
    await eventually(async () => {
      const { body } = await world.api.get('/events?limit=100');
      expect(body.map(summary).toSorted()).to.deep.equal(DEVICE_AGENTS.map(summary).toSorted());
    });
  });

  it('meet the rules of a link by what their hints say', async () => {
    const rules: [field: 'device' | 'os' | 'browser', value: string][] = [
      ['device', 'mobile'],
      ['os', 'Android'],
      ['os', 'KaiOS'],
      ['browser', 'Brave'],
      ['browser', 'Facebook'],
    ];
    for (const [at, [field, value]] of rules.entries()) {
      await create({ key: `rule-${at}`, rules: [{ value: { [field]: value }, url: RULED }] });
      for (const agent of DEVICE_AGENTS) {
        const isMet = agent[field].toLowerCase() === value.toLowerCase();
        const what = `${field} ${value}: ${agent.name}`;
        expect(await locationOf(`rule-${at}`, agent), what).to.equal(isMet ? RULED : WEB);
      }
    }
  });

  it('do not tell visitors of one user agent apart, whatever hints they send', async () => {
    await create({ key: 'once' });
    const [phone] = DEVICE_AGENTS.filter(({ name }) => name.includes('phone in desktop mode'));
    await locationOf('once', phone!);
    await locationOf('once', { ...phone!, hints: ['"Linux"', '?0'] });
    await locationOf('once', { ...phone!, userAgent: `${phone!.userAgent} Other/1` });
    await eventually(async () => {
      const { body } = await world.api.get('/analytics?groupBy=clicks');
      expect(body).to.deep.equal({ clicks: 2, visitors: 2 });
    });
  });
});
