import { memo, type ReactNode } from 'react';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/states.tsx';
import { useIsPainted } from '../ui/use-is-painted.ts';

/** Actions of a row; the same object for all rows, so that only changed rows render again. */
export interface RowActions {
  toggle(index: number, isRange: boolean): void;
  open(index: number): void;
  focus(index: number): void;
}

interface PlaceProps {
  index: number;
  /** Vertical position and height in pixels. */
  top: number;
  height: number;
}

interface RecordRowProps<Row> extends PlaceProps {
  record: Row;
  name: string;
  cells(record: Row): ReactNode;
  /** True for the row in the tab order. */
  isActive: boolean;
  isSelected: boolean;
  maySelect: boolean;
  actions: RowActions;
}

/** Opens the menu in the last cell of a row. */
export function openMenu(row: HTMLElement | undefined): void {
  const opener = row?.querySelector<HTMLButtonElement>('[aria-haspopup=menu]');
  if (opener?.popoverTargetElement?.matches(':popover-open') === false) opener.click();
}

const place = ({ top, height }: PlaceProps) => ({ transform: `translateY(${top}px)`, height });
const rowLook =
  'absolute inset-x-0 top-0 contain-strict flex items-center gap-3 border-b border-line px-4 max-md:gap-2 max-md:px-1 md:px-6';

/** True for events of the menu key and Shift+F10, which have no pointer type. */
const isByKey = (event: MouseEvent): boolean =>
  event.button !== 2 && ((event as PointerEvent).pointerType ?? '') === '';

function Row<Row>(props: RecordRowProps<Row>) {
  const { index, record, name, cells, isActive, isSelected, maySelect, actions } = props;
  // All cells of the rows that one turn of the wheel shows would block the page for too long.
  const isPainted = useIsPainted();
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => actions.focus(index)}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a, button, input, label, [popover]')) {
          actions.open(index);
        }
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        const { key, shiftKey, currentTarget } = event;
        if (key === 'Enter') actions.open(index);
        else if (key === ' ' && maySelect) actions.toggle(index, shiftKey);
        else if (key === 'ContextMenu' || (shiftKey && key === 'F10')) openMenu(currentTarget);
        else return;
        event.preventDefault();
      }}
      onContextMenu={(event) => {
        // Mouse and touch open the browser's menu; keys open the menu of the row.
        if (!isByKey(event.nativeEvent)) return;
        event.preventDefault();
        openMenu(event.currentTarget);
      }}
      style={place(props)}
      className={classes(
        rowLook,
        'cursor-pointer focus-visible:-outline-offset-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      {maySelect && (
        <div role="gridcell">
          <label className="grid size-6 place-items-center max-md:size-11">
            <span className="sr-only">Select {name}</span>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isSelected}
              onChange={() => undefined}
              onClick={(event) => actions.toggle(index, event.shiftKey)}
              className="size-4 accent-accent"
            />
          </label>
        </div>
      )}
      {isPainted ? cells(record) : <span className="truncate pl-11 font-medium">{name}</span>}
    </div>
  );
}

/** A row of a list: its checkbox or Space selects it, a click or Enter opens it. */
export const RecordRow = memo(Row) as typeof Row;

/** A placeholder for a row that is loading. */
export function LoadingRow(props: PlaceProps) {
  return (
    <div
      role="row"
      aria-busy
      aria-rowindex={props.index + 1}
      style={place(props)}
      className={rowLook}
    >
      <div role="gridcell" className="flex-1">
        <span className="sr-only">Loading</span>
        <Skeleton className="mb-2 h-3.5 w-40" />
        <Skeleton className="h-3 w-72 max-w-full" />
      </div>
    </div>
  );
}
