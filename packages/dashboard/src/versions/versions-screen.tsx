import { parseFailureMeasure } from '@spoor/contract/failure-measure'
import type { VersionList } from '@spoor/contract/schemas/versions'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { versionsQuery } from '../api/insight.ts'
import { FailureField } from '../clusters/discovery/failure-field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { VersionItem } from './version-item.tsx'

export const route = createLazyRoute('/app/versions')({ component: VersionsScreen })

function VersionsScreen() {
  const [failureBy, setFailureBy] = useState<string | null>(null)
  const isWhole = failureBy === null || parseFailureMeasure(failureBy) !== null
  const query = useQuery({ ...versionsQuery(failureBy), enabled: isWhole })
  const found = query.data
  const measure = failureBy ?? found?.failure_by
  return (
    <>
      <PageHeader title="Versions" />
      {isWhole && <Loading query={query} />}
      {found?.versions.length === 0 && (
        <EmptyState title="No versions yet">
          <p>
            Send <code className="font-mono">metadata.{found.version_key}</code> with your traces, and each version is
            compared with the one before it.
          </p>
          <p>
            Another key can be named in the{' '}
            <Link to="/app/settings" search={{ tab: 'analysis' }} className="text-accent underline">
              settings
            </Link>
            .
          </p>
        </EmptyState>
      )}
      {found !== undefined && found.versions.length > 0 && <Versions found={found} />}
      {measure !== undefined && (
        <div className="border-t p-4 text-sm">
          <div className="max-w-md">
            <FailureField value={measure} onChange={setFailureBy} />
          </div>
        </div>
      )}
    </>
  )
}

function Versions({ found }: { readonly found: VersionList }) {
  const { versions, version_key: key, failure_by: failureBy } = found
  // All rates are on one scale.
  const most = Math.max(...versions.flatMap(({ high, clusters }) => [high, ...clusters.map((one) => one.high)]))
  return (
    <>
      <p className="text-muted px-4 py-3 text-sm">
        Failure rates by <code className="font-mono">metadata.{key}</code>, the newest version first. Bars are the share
        of failed runs, lines its interval of 95 %. A version regressed if it fails more often than the one before it.
      </p>
      <ol aria-label="Versions">
        {versions.map((version) => (
          <li key={version.version} className="border-t">
            <VersionItem version={version} versionKey={key} failureBy={failureBy} most={most} />
          </li>
        ))}
      </ol>
    </>
  )
}
