import { Badge } from '../ui/states.tsx';
import type { FieldChange } from './change-words.ts';

interface ChangedFieldsProps {
  fields: readonly (FieldChange & { isChangedSince?: boolean })[];
}

/** Changed fields with their values before and after. */
export function ChangedFields({ fields }: ChangedFieldsProps) {
  return (
    <dl className="flex flex-col gap-2">
      {fields.map(({ field, label, values, isChangedSince }) => (
        <div key={field} className="grid gap-x-3 md:grid-cols-[9rem_minmax(0,1fr)]">
          <dt className="text-muted">
            {label}
            {isChangedSince === true && (
              <span className="ml-2 align-middle md:mt-0.5 md:ml-0 md:block">
                <Badge tone="warning">Changed since</Badge>
              </span>
            )}
          </dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-line">
            {values === undefined ? (
              'Changed'
            ) : (
              <>
                {values.from !== undefined && (
                  <>
                    <span className="sr-only">From </span>
                    <del className="mr-1.5 inline-block max-w-full text-muted decoration-muted/60">
                      {values.from}
                    </del>
                    <span className="sr-only"> to </span>
                  </>
                )}
                <ins className="inline-block max-w-full no-underline">
                  {values.from !== undefined && (
                    <span aria-hidden className="mr-1.5 text-muted">
                      →
                    </span>
                  )}
                  {values.to}
                </ins>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
