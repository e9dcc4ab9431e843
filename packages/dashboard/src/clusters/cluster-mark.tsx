import { type ClusterColor, cssColor } from './cluster-colors.ts'

/** A cluster's colour in the shape of its points on the map: a diamond for a high error rate. */
export function ClusterMark({ color, fails = false }: { color: ClusterColor | undefined; fails?: boolean }) {
  return (
    <span
      aria-hidden
      className={`inline-block size-2.5 shrink-0 ${fails ? 'rotate-45' : 'rounded-full'} ${color === undefined ? 'bg-muted' : ''}`}
      style={color === undefined ? {} : { backgroundColor: cssColor(color) }}
    />
  )
}
