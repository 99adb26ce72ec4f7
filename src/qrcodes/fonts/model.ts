import { WorkspaceModel } from '../../infra/model.ts';

/** A row of `fonts`: a font that the workspace has uploaded. */
export class Font extends WorkspaceModel {
  static override readonly tableName = 'fonts';

  declare id: string;
  declare name: string;
  /** Normalized name, which comparisons use. */
  declare name_key: string;
  /** Number of characters. */
  declare characters: number;
  /** `FontOutlines` as JSON, which lists leave out. */
  declare outlines: string;
  declare created_at: Date;
  /** Time of the deletion; a font that codes use remains. */
  declare deleted_at: Date | null;
}

/** Columns of the public record. */
export const FONT_COLUMNS = ['id', 'name', 'characters', 'created_at'] as const;
