import { expect } from 'chai';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Links and QR codes, whose tags are edited alike. */
const KINDS = {
  links: { path: '/links', ids: 'linkIds', make: { url: A } },
  qrcodes: { path: '/qrcodes', ids: 'qrcodeIds', make: { type: 'url', url: A } },
};

for (const [kind, { path, ids, make }] of Object.entries(KINDS)) {
  describe(`tags that are added to and removed from ${kind}`, () => {
    let world: World;
    let tags: string[];

    before(async () => {
      world = await aWorkspace();
      tags = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => (await world.api.post('/tags', { name })).body.id),
      );
    });

    const created = async (tagIds: string[]): Promise<string> =>
      (await world.api.post(path, { ...make, tagIds })).body.id;
    const change = (recordIds: string[], data: object) =>
      world.api.patch(`${path}/bulk`, { [ids]: recordIds, data });
    const tagsOf = (record: { tags: { id: string }[] }) => record.tags.map(({ id }) => id);
    const storedTags = async (id: string) => tagsOf((await world.api.get(`${path}/${id}`)).body);

    it('keep the other tags of each record', async () => {
      const [a, b, c] = tags as [string, string, string];
      const one = await created([b, a]);
      const two = await created([c]);
      const none = await created([]);
      const { status, body } = await change([one, two, none], {
        addTagIds: [c],
        removeTagIds: [b],
      });
      expect(status).to.equal(200);
      expect(body.map(tagsOf)).to.deep.equal([[a, c], [c], [c]]);
      expect(await storedTags(one)).to.deep.equal([a, c]);
    });

    it('may be only added, or only removed, as a list or a text', async () => {
      const [a, b, c] = tags as [string, string, string];
      const one = await created([a]);
      await change([one], { addTagIds: `${b},${c}` });
      expect(await storedTags(one)).to.deep.equal([a, b, c]);
      await change([one], { removeTagIds: [a, c] });
      expect(await storedTags(one)).to.deep.equal([b]);
    });

    it('are edited by a change of one record as well', async () => {
      const [a, b] = tags as [string, string];
      const one = await created([a]);
      const { body } = await world.api.patch(`${path}/${one}`, { addTagIds: [b], title: 'T' });
      expect([tagsOf(body), body.title]).to.deep.equal([[a, b], 'T']);
    });

    for (const replacing of ['tagId', 'tagIds', 'tagNames']) {
      it(`are refused together with ${replacing}`, async () => {
        const value = replacing === 'tagId' ? tags[0] : [replacing === 'tagIds' ? tags[0] : 'a'];
        for (const field of ['addTagIds', 'removeTagIds']) {
          const { status, body } = await change([await created([])], {
            [replacing]: value,
            [field]: [tags[1]],
          });
          expect(status).to.equal(422);
          expect(body.error.message).to.equal(
            `data.${field} must not be set together with ${replacing}, which replaces all tags`,
          );
        }
      });
    }

    it('are refused where a tag is both added and removed', async () => {
      const { status, body } = await change([await created([])], {
        addTagIds: [tags[0]],
        removeTagIds: tags,
      });
      expect(status).to.equal(422);
      expect(body.error.message).to.equal(
        `data.removeTagIds must not have "${tags[0]}", which addTagIds has`,
      );
    });

    it('are refused for a record where a tag does not exist, which changes nothing', async () => {
      const one = await created([tags[0]!]);
      const { body } = await change([one], {
        addTagIds: [tags[1], 'tag_x'],
        removeTagIds: ['tag_y'],
      });
      expect(body[0].error).to.include({
        code: 'unprocessable_entity',
        message: 'removeTagIds: there is no tag "tag_y"; addTagIds: there is no tag "tag_x"',
      });
      expect(await storedTags(one)).to.deep.equal([tags[0]]);
    });

    it('are refused where a record would have more than 50', async () => {
      const many: string[] = [];
      for (let n = 0; n < 50; n += 1) {
        many.push((await world.api.post('/tags', { name: `${kind} ${n}` })).body.id);
      }
      const one = await created(many);
      const { body } = await change([one], { addTagIds: [tags[0]] });
      expect(body[0].error.message).to.equal(
        'addTagIds must leave at most 50 tags: there would be 51',
      );
      await change([one], { addTagIds: [tags[0]], removeTagIds: [many[0]] });
      expect(await storedTags(one)).to.deep.equal([...many.slice(1), tags[0]]);
    });

    it('are no fields of a new record', async () => {
      const { status, body } = await world.api.post(path, { ...make, addTagIds: [tags[0]] });
      expect([status, body.error.message]).to.deep.equal([422, 'addTagIds is not a known field']);
    });
  });
}
