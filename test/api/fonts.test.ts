import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { pruneFonts } from '../../src/qrcodes/fonts/commands.ts';
import type { ApiAnswer } from '../support/client.ts';
import { scan } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { fontUri, NUNITO, openType, packagedFont } from '../support/fonts.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

const URL_A = 'https://example.com/a';

describe('fonts', () => {
  let world: World;
  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Uploads a font, and waits longer than a request does. */
  async function upload(source: string, name?: string): Promise<ApiAnswer> {
    const answer = await world.api.post('/fonts', { source, ...(name !== undefined && { name }) });
    if (answer.status !== 202) return answer;
    return eventually(async () => {
      const { body } = await world.api.get(`/jobs/${answer.body.id}`);
      expect(body.status).to.be.oneOf(['done', 'failed']);
      const refused = body.error && { status: body.error.code === 'conflict' ? 409 : 422 };
      return { ...answer, status: 201, body: body.result ?? body, ...refused };
    });
  }
  const aFont = async (letters = 'SCANMEacnmeu', name = 'Blocks') =>
    (await upload(fontUri(openType(letters)), name)).body;
  const create = (fields: object) =>
    world.api.post('/qrcodes', { type: 'url', url: URL_A, frame: 'label-bottom', ...fields });
  const svgOf = async (id: string): Promise<string> =>
    (await world.api.download(`/qrcodes/${id}/image?format=svg`)).bytes.toString();
  const messageOf = ({ body }: { body: { error: { message: string } } }) => body.error.message;

  it('are uploaded, listed by name, read and deleted', async () => {
    const { status, body } = await upload(fontUri(packagedFont(NUNITO)), ' Acme Sans ');
    expect(status).to.equal(201);
    expect(body).to.include({ name: 'Acme Sans', characters: 219 });
    expect(body.id).to.match(/^font_/);
    const blocks = await aFont();
    expect((await world.api.get('/fonts')).body).to.deep.equal([body, blocks]);
    expect((await world.api.get(`/fonts/${body.id}`)).body).to.deep.equal(body);
    const { body: outlines } = await world.api.get(`/fonts/${body.id}/outlines`);
    expect(outlines).to.include({ unitsPerEm: 1_000, capHeight: 705 });
    expect(outlines.glyphs['A'][0]).to.equal(744);
    expect(outlines.kerning['AV']).to.be.below(0);
    expect((await world.api.delete(`/fonts/${body.id}`)).body).to.deep.equal({ id: body.id });
    expect((await world.api.get('/fonts')).body).to.deep.equal([blocks]);
    for (const answer of [
      await world.api.get(`/fonts/${body.id}`),
      await world.api.delete(`/fonts/${body.id}`),
      await world.api.delete('/fonts/font_none'),
    ]) {
      expect(answer.status).to.equal(404);
    }
  });

  it('take the name of their file, if none is given', async () => {
    expect((await upload(fontUri(openType('a')))).body.name).to.equal('Blocks Regular');
    const inter = packagedFont('inter/files/inter-latin-400-normal.woff2');
    expect((await upload(fontUri(inter))).body.name).to.equal('Inter Regular');
  });

  it('are read from URLs', async () => {
    const site = await Site.start();
    const url = site.answer('/a.woff2', { type: 'font/woff2', body: packagedFont(NUNITO) });
    const { status } = await upload(url, 'A');
    const missing = await upload(`${site.url}/none`, 'B');
    await site.stop();
    expect([status, messageOf(missing)]).to.deep.equal([
      201,
      'source must respond with status 200, not 404',
    ]);
  });

  it('are refused with a rule for the field', async () => {
    await aFont('a', 'Taken');
    const good = fontUri(openType('a'));
    for (const [answer, status, message] of [
      [upload(fontUri(Buffer.from('no font'))), 422, /^source must be a font \(WOFF2, WOFF, TTF/],
      [
        upload(fontUri(packagedFont(NUNITO).subarray(0, 900))),
        422,
        /^source must be a font whose file is not damaged$/,
      ],
      [upload('ftp://example.com/a.woff2'), 422, /^source must be a URL/],
      [upload(good, 'inter'), 422, /^name must not be the name of a font that exists/],
      [upload(good, 'font_1'), 422, /^name must not begin with font_/],
      [upload(good, 'a'.repeat(65)), 422, /^name must be at most 64 characters/],
      [upload(good, ' TAKEN'), 409, /^The font name "TAKEN" is taken$/],
      [world.api.post('/fonts', { name: 'a' }), 422, /^source is required/],
    ] as const) {
      const one = await answer;
      expect(one.status, String(message)).to.equal(status);
      expect(messageOf(one)).to.match(message);
    }
  });

  it('need the scope to write codes, and can be read with that to read them', async () => {
    const { id } = await aFont();
    const reader = await world.withScopes('qrcodes.read');
    expect((await reader.get('/fonts')).status).to.equal(200);
    expect((await reader.delete(`/fonts/${id}`)).status).to.equal(403);
    const source = fontUri(openType('a'));
    expect((await reader.post('/fonts', { name: 'b', source })).status).to.equal(403);
  });

  it('are at most 20 in a workspace', async () => {
    const { id } = await aFont();
    const row = await db()('fonts').where({ project_id: world.projectId, id }).first();
    const others = Array.from({ length: 19 }, (_, at) => ({
      ...row,
      id: `${id}${at}`,
      name: `n${at}`,
      name_key: `n${at}`,
    }));
    await db()('fonts').insert(others);
    const refused = await upload(fontUri(openType('a')), 'More');
    expect([refused.status, messageOf(refused)]).to.deep.equal([
      422,
      'A workspace has at most 20 fonts',
    ]);
    await world.api.delete(`/fonts/${id}`);
    expect((await upload(fontUri(openType('a')), 'More')).status).to.equal(201);
  });

  describe('of frames', () => {
    it('are named by id or name, and draw the text', async () => {
      const { id } = await aFont();
      const plain = (await create({ frameText: 'Scan' })).body;
      for (const family of [id, 'Blocks', 'BLOCKS']) {
        const { status, body } = await create({ frameText: 'Scan', frameTextStyles: { family } });
        expect(status, family).to.equal(201);
        expect(body.frameTextStyles).to.deep.equal({ family: id });
        const svg = await svgOf(body.id);
        expect(svg).not.to.equal(await svgOf(plain.id));
        for (const format of ['png', 'pdf', 'eps', 'svg', 'webp']) {
          const { status: drawn, bytes } = await world.api.download(
            `/qrcodes/${body.id}/image?format=${format}`,
          );
          expect(drawn, format).to.equal(200);
          if (format === 'png') expect(await scan(bytes)).to.equal(body.shortLink);
        }
      }
    });

    it('change with the text, and with the family', async () => {
      const { id } = await aFont();
      const { body } = await create({ frameText: 'Scan' });
      const after = async (changes: object) => {
        const { status } = await world.api.patch(`/qrcodes/${body.id}`, changes);
        expect(status).to.equal(200);
        return svgOf(body.id);
      };
      const plain = await svgOf(body.id);
      const own = await after({ frameTextStyles: { family: id } });
      expect(own).not.to.equal(plain);
      const other = await after({ frameText: 'Sea' });
      expect(other).not.to.equal(own);
      expect(await after({ frameColor: '#1A237E' })).not.to.equal(other);
      expect(await after({ frameColor: null, frameText: 'Scan' })).to.equal(own);
      expect(await after({ frameTextStyles: null })).to.equal(plain);
    });

    it('are refused for texts with letters that they lack, and if there is no such font', async () => {
      const { id } = await aFont('abc');
      for (const [fields, message] of [
        [
          { frameText: 'abz', frameTextStyles: { family: id } },
          'frameText must not contain "z": its font lacks it',
        ],
        [{ frameTextStyles: { family: id } }, 'frameText must not contain "S": its font lacks it'],
        [
          { frameText: 'abc', frameTextStyles: { family: 'Comic Sans' } },
          'frameTextStyles.family must be one of Inter, Nunito, Lora, Roboto Mono, or the id or name of a font of the workspace',
        ],
      ] as const) {
        const refused = await create(fields);
        expect([refused.status, messageOf(refused)]).to.deep.equal([422, message]);
      }
      const { status } = await create({ frameText: 'abc 菜单', frameTextStyles: { family: id } });
      expect(status).to.equal(201);
    });

    it('are kept by codes and templates after a deletion, and removed when none has them', async () => {
      const { id } = await aFont();
      const styles = { frameText: 'Scan', frameTextStyles: { family: id } };
      const { body } = await create({ ...styles, useAsTemplate: true });
      const before = await svgOf(body.id);
      await world.api.delete(`/fonts/${id}`);
      const past = { deleted_at: new Date(Date.now() - 2 * 86_400_000) };
      await db()('fonts').where({ project_id: world.projectId, id }).update(past);
      await pruneFonts();
      expect(await svgOf(body.id)).to.equal(before);
      // The font is kept for them, and for nobody else.
      const changed = await world.api.patch(`/qrcodes/${body.id}`, { frameText: 'Menu' });
      expect(changed.status).to.equal(200);
      const copy = await create({ templateId: body.templateId });
      expect(copy.body.frameTextStyles).to.deep.equal({ family: id });
      expect((await create(styles)).status).to.equal(422);
      expect((await world.api.get(`/fonts/${id}/outlines`)).status).to.equal(200);
      for (const one of [body.id, copy.body.id]) await world.api.delete(`/qrcodes/${one}`);
      await pruneFonts();
      expect((await world.api.get(`/fonts/${id}/outlines`)).status).to.equal(200);
      await world.api.delete(`/templates/${body.templateId}`);
      await pruneFonts();
      // Codes in the trash can be restored.
      expect((await world.api.get(`/fonts/${id}/outlines`)).status).to.equal(200);
      for (const one of [body.id, copy.body.id]) await world.api.delete(`/trash/${one}`);
      await pruneFonts();
      expect((await world.api.get(`/fonts/${id}/outlines`)).status).to.equal(404);
    });
  });
});
