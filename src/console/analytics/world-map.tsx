import { useQuery } from '@tanstack/react-query';
import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { type ReactNode, useMemo, useState } from 'react';
import { keys } from '../api/keys.ts';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/states.tsx';
import type { Metric } from './event-query.ts';
import { formatMetric, nameOfCountry } from './names.ts';
import { loadPlaces, type Place } from './places.ts';

const WIDTH = 800;
const HEIGHT = 400;

/** A place with its position and path in the drawing. */
interface Shape extends Place {
  path: string | undefined;
  x: number;
  y: number;
}

/** Projects the countries into the units of the drawing. */
function useShapes(): Shape[] | undefined {
  const places = useQuery({
    queryKey: keys.places.all,
    queryFn: loadPlaces,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => {
    if (places.data === undefined) return undefined;
    const features = places.data.flatMap(({ outline }) => outline ?? []);
    const projection = geoNaturalEarth1().fitExtent(
      [
        [4, 4],
        [WIDTH - 4, HEIGHT - 4],
      ],
      { type: 'FeatureCollection', features },
    );
    const draw = geoPath(projection).digits(1);
    return places.data.map((place) => {
      const [x, y] = projection([...place.middle]) ?? [0, 0];
      return { ...place, x, y, path: place.outline && (draw(place.outline) ?? undefined) };
    });
  }, [places.data]);
}

interface WorldMapProps {
  /** Numbers by country code. */
  counts: ReadonlyMap<string, number>;
  metric: Metric;
  label: string;
  onChoose?(code: string): void;
  /** Renders content above the countries. */
  children?(placeOf: (code: string) => { x: number; y: number } | undefined): ReactNode;
}

/**
 * A map with countries shaded by their numbers. Lists beside it contain the same data for people
 * who cannot see the map.
 */
export function WorldMap({ counts, metric, label, onChoose, children }: WorldMapProps) {
  const shapes = useShapes();
  const [over, setOver] = useState<string>();
  const most = Math.max(1, ...counts.values());
  const byCode = useMemo(
    () => new Map(shapes?.map((shape) => [shape.code, shape] as const)),
    [shapes],
  );
  if (shapes === undefined) return <Skeleton className="aspect-[2/1] w-full" />;
  const shown = over === undefined ? undefined : byCode.get(over);
  return (
    <div className="relative">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className="w-full">
        {shapes.map(({ code, path, x, y }, index) => {
          const count = counts.get(code) ?? 0;
          const isChoosable = onChoose !== undefined && count > 0;
          const shape = {
            onMouseEnter: () => setOver(code),
            onMouseLeave: () => setOver(undefined),
            onClick: isChoosable ? () => onChoose(code) : undefined,
            className: classes(
              'stroke-panel',
              count === 0 ? 'fill-line' : 'fill-accent',
              isChoosable && 'cursor-pointer hover:stroke-ink',
            ),
            // The square root compensates for the few countries that have most visits.
            fillOpacity: count === 0 ? 1 : 0.25 + 0.75 * Math.sqrt(count / most),
            strokeWidth: 0.6,
          };
          if (path !== undefined) return <path key={code || index} d={path} {...shape} />;
          return count === 0 ? null : <circle key={code} cx={x} cy={y} r={3.5} {...shape} />;
        })}
        {children?.((code) => byCode.get(code))}
      </svg>
      {shown !== undefined && shown.code !== '' && (
        <div
          aria-hidden
          className="pointer-events-none absolute z-10 -translate-x-1/2 -translate-y-full rounded-md border border-line bg-raised px-2 py-1 text-xs whitespace-nowrap shadow-lg"
          style={{
            left: `${Math.min(85, Math.max(15, (100 * shown.x) / WIDTH))}%`,
            top: `${Math.max(14, (100 * shown.y) / HEIGHT - 2)}%`,
          }}
        >
          <span className="text-muted">{nameOfCountry(shown.code)}</span>{' '}
          <span className="font-semibold tabular-nums">
            {formatMetric(metric, counts.get(shown.code) ?? 0)}
          </span>
        </div>
      )}
    </div>
  );
}
