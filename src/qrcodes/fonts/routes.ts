import { deletedRecord } from '../../http/deleted.ts';
import { id, Joi } from '../../http/fields.ts';
import { MEBIBYTE } from '../../http/input.ts';
import { created, found, ok, type Route, route } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { answerWrite } from '../../jobs/answer-write.ts';
import type { FontOutlines } from '../render/letters.ts';
import { fontJobs, fontWriteJobs } from './jobs.ts';
import { FONT_COLUMNS, Font } from './model.ts';
import { fontRecord, toFont } from './record.ts';
import { MAX_FONTS, type NewFont, newFontBody } from './schema.ts';

const common = { extension: true, tag: 'Fonts' } as const;
const params = Joi.object<{ id: string }>({
  id: id().required().description('Id of the font.'),
});

/** Endpoints of fonts, an extension of the contract, which has four families only. */
export const fontRoutes: Route[] = [
  route<{ body: NewFont }>({
    ...common,
    method: 'post',
    path: '/fonts',
    operationId: 'createFont',
    summary: 'Upload a font',
    description: `Stores a font for the texts of frames: \`frameTextStyles.family\` takes its id or name. A workspace has at most ${MAX_FONTS}.`,
    scope: 'qrcodes.write',
    record: true,
    body: newFontBody,
    bodyLimit: 2 * MEBIBYTE,
    answers: { 201: fontRecord },
    writes: true,
    handle: (request) =>
      answerWrite(
        request,
        fontJobs['font.create'],
        { ...request.body, id: newId('font') },
        (font) => created(`/fonts/${font.id}`, font),
      ),
  }),
  route({
    ...common,
    method: 'get',
    path: '/fonts',
    operationId: 'listFonts',
    limits: 'none',
    summary: 'List fonts, by name',
    description: 'Returns all fonts of the workspace by name.',
    scope: 'qrcodes.read',
    answers: { 200: Joi.array().items(fontRecord) },
    handle: async ({ caller }) =>
      ok(
        (
          await Font.of(caller.projectId)
            .select(FONT_COLUMNS)
            .whereNull('deleted_at')
            .orderBy('name_key')
        ).map(toFont),
      ),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'get',
    path: '/fonts/{id}',
    operationId: 'retrieveFont',
    limits: 'none',
    summary: 'Retrieve a font',
    description: 'Returns a font.',
    scope: 'qrcodes.read',
    record: true,
    params,
    answers: { 200: fontRecord },
    async handle({ caller, params: { id: fontId } }) {
      const row = await Font.of(caller.projectId)
        .select(FONT_COLUMNS)
        .where({ id: fontId })
        .whereNull('deleted_at')
        .first();
      return ok(toFont(found(row, `font "${fontId}"`)));
    },
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'get',
    path: '/fonts/{id}/outlines',
    operationId: 'retrieveFontOutlines',
    limits: 'none',
    summary: 'Retrieve the outlines of a font',
    description:
      'Returns what the service has read from the file of a font, and draws. Outlines of a deleted font stay while QR codes use it.',
    scope: 'qrcodes.read',
    params,
    answers: {
      200: Joi.object<FontOutlines>({
        unitsPerEm: Joi.number().required().description('Units per font size.').example(1000),
        capHeight: Joi.number().required().description('Height of capitals in units.').example(705),
        glyphs: Joi.object()
          .unknown()
          .required()
          .description('Advance width in units and SVG path data, y axis up, by character.')
          .example({ I: [280, 'M70 0L210 0L210 700L70 700Z'] }),
        kerning: Joi.object()
          .unknown()
          .required()
          .description('Change of the distance in units, by pair of characters.')
          .example({ AV: -60 }),
      }).meta({ name: 'FontOutlines' }),
    },
    async handle({ caller, params: { id: fontId } }) {
      const row = await Font.of(caller.projectId).select('outlines').where({ id: fontId }).first();
      return ok(JSON.parse(found(row, `font "${fontId}"`).outlines) as FontOutlines);
    },
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'delete',
    path: '/fonts/{id}',
    operationId: 'deleteFont',
    summary: 'Delete a font',
    description: 'Deletes a font. QR codes and templates that use it keep their appearance.',
    scope: 'qrcodes.write',
    record: true,
    params,
    answers: { 200: deletedRecord },
    writes: true,
    handle: (request) => answerWrite(request, fontWriteJobs['font.delete'], request.params, ok),
  }),
];
