import { Joi, requiredText } from './fields.ts';

/** Answer to the deletion of one record, for the reference and for checking answers. */
export const deletedRecord = Joi.object({
  id: requiredText.description('Id of the deleted record.').example('link_4Jx2vQ0aTq'),
}).meta({ name: 'DeletedRecord' });

/** Answer to the deletion of several records. */
export const deletedCount = Joi.object({
  deletedCount: Joi.number()
    .integer()
    .required()
    .description('Number of records that were deleted.'),
}).meta({ name: 'DeletedCount' });
