import type { ClusterId } from '@spoor/contract/ids'
import type { Version } from '@spoor/contract/schemas/versions'
import { Link } from '@tanstack/react-router'
import { TrendingUp } from 'lucide-react'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { WhyButton } from '../patterns/why-button.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { Badge } from '../ui/badge.tsx'
import { Time } from '../ui/time.tsx'

interface VersionItemProps {
  readonly version: Version
  readonly versionKey: string
  readonly failureBy: string
  /** The greatest rate of the screen. */
  readonly most: number
}

/** Clusters that are listed unfolded although nothing is clear in them: those with the strongest evidence. */
const UNCLEAR = 3

export function VersionItem({ version, versionKey, failureBy, most }: VersionItemProps) {
  const { version: name, first_at: firstAt, comparison, clusters } = version
  const search: FeedSearch = { meta: [[versionKey, name]], range: 'all' }
  const shown = Math.max(clusters.filter((one) => one.regressed).length, UNCLEAR)
  const clusterRow = (one: Version['clusters'][number]) => (
    <Row
      key={one.cluster_id}
      label={
        <Link to="/app/traces" search={{ ...search, cluster: one.cluster_id as ClusterId }} className="hover:underline">
          <bdi>{one.label}</bdi>
        </Link>
      }
      rates={one}
      most={most}
    >
      {one.regressed && <Regressed />} before: {sharesOf(one.before)}
    </Row>
  )
  return (
    <section aria-label={name} className="space-y-3 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-0 truncate font-semibold" title={name}>
          <Link to="/app/traces" search={search} className="hover:underline">
            <bdi>{name}</bdi>
          </Link>
        </h2>
        {comparison?.regressed === true && <Regressed />}
        <span className="text-muted min-w-0 wrap-anywhere">
          since <Time at={firstAt} />
          {comparison !== null && (
            <>
              , compared with <bdi>{comparison.compared_with}</bdi>
            </>
          )}
        </span>
        <span className="ml-auto">
          <WhyButton search={search} failureBy={failureBy} shortcut={false} />
        </span>
      </div>
      <Row label="All runs" rates={version} most={most}>
        {comparison !== null && `before: ${sharesOf(comparison.before)}`}
      </Row>
      {clusters.slice(0, shown).map(clusterRow)}
      {clusters.length > shown && (
        <details className="space-y-3">
          <summary className="text-muted hover:text-ink w-fit cursor-pointer">
            More clusters: {formatCount(clusters.length - shown)}
          </summary>
          {clusters.slice(shown).map(clusterRow)}
        </details>
      )}
    </section>
  )
}

interface RowProps {
  readonly label: React.ReactNode
  readonly rates: Rates
  readonly most: number
  readonly children: React.ReactNode
}

/** A label, the rate with its interval, and what it is compared with. */
function Row({ label, rates, most, children }: RowProps) {
  return (
    <div className="grid grid-cols-1 gap-x-4 gap-y-1 md:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_minmax(0,1.2fr)] md:items-center">
      <div className="min-w-0 truncate">{label}</div>
      <RateBar rates={rates} most={most} />
      <div className="text-muted flex min-w-0 flex-wrap items-center gap-x-2 wrap-anywhere">{children}</div>
    </div>
  )
}

function Regressed() {
  return (
    <Badge tone="fail" icon={TrendingUp}>
      regressed
    </Badge>
  )
}

function sharesOf({ count, of }: { readonly count: number; readonly of: number }): string {
  return `${formatShare(count / of)} of ${formatCount(of)}`
}

interface Rates {
  readonly failed: { readonly count: number; readonly of: number }
  readonly rate: number
  readonly low: number
  readonly high: number
}

/** A failure rate as a bar, with its interval as a line across the end. `most`: the rate at the end of the bar. */
function RateBar({ rates: { failed, rate, low, high }, most }: { rates: Rates; most: number }) {
  const at = (share: number) => `${(100 * share) / most}%`
  return (
    <div className="flex min-w-0 items-center gap-3">
      <div
        aria-hidden
        className="relative h-3 min-w-16 flex-1"
        title={`From ${formatShare(low)} to ${formatShare(high)}`}
      >
        <div className="bg-hover absolute inset-y-0.5 w-full rounded-full" />
        <div className="bg-fail absolute inset-y-0.5 rounded-full opacity-60" style={{ width: at(rate) }} />
        <div className="bg-ink absolute top-1/2 h-px" style={{ left: at(low), width: at(high - low) }} />
        <div className="bg-ink absolute inset-y-0.5 w-px" style={{ left: at(low) }} />
        <div className="bg-ink absolute inset-y-0.5 w-px" style={{ left: `calc(${at(high)} - 1px)` }} />
      </div>
      <span className="w-28 shrink-0 text-right whitespace-nowrap tabular-nums">
        {formatShare(rate)} <span className="text-muted">of {formatCount(failed.of)}</span>
      </span>
    </div>
  )
}
