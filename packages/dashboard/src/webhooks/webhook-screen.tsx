import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { webhookQuery } from '../api/webhooks.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { PageHeader } from '../ui/page.tsx'
import { Loading, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { Deliveries } from './deliveries/deliveries.tsx'
import { HealthBadge } from './health-badge.tsx'
import { useRecent } from './deliveries/use-recent.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookSummary } from './webhook-summary.tsx'

export const route = createLazyRoute('/app/webhooks/$webhookId')({ component: WebhookScreen })

function WebhookScreen() {
  const { project_id } = useSession()
  const { webhookId } = route.useParams()
  const { delivery } = route.useSearch()
  const mayManage = useMay('manage')
  const query = useQuery(webhookQuery(project_id, webhookId))
  const { data: webhook } = query
  const { recent, lastSuccess } = useRecent({ project_id, id: webhookId })
  if (webhook === undefined) {
    return (
      <>
        <PageHeader title="Webhook" meta={<Back />} />
        <Loading
          query={query}
          placeholder={
            <>
              <div className="border-b p-4">
                <Skeleton className="h-10" />
              </div>
              <SkeletonRows rows={10} />
            </>
          }
        />
      </>
    )
  }
  return (
    // On very wide screens the panel is beside everything. On wide ones it is only beside the list, because content
    // above would wrap and push it down.
    <div className={`flex flex-1 flex-col ${delivery === undefined ? '' : 'min-[1800px]:pr-[42rem]'}`}>
      <PageHeader
        title={webhook.url}
        meta={
          <>
            <HealthBadge webhook={webhook} recent={recent} />
            <Back />
          </>
        }
        {...(mayManage ? { actions: <WebhookActions webhook={webhook} /> } : {})}
      />
      <WebhookSummary webhook={webhook} recent={recent} lastSuccess={lastSuccess} />
      <Deliveries key={webhook.id} webhook={webhook} />
    </div>
  )
}

function Back() {
  return (
    <Link to="/app/webhooks" className="hover:text-ink text-sm underline-offset-2 hover:underline">
      All webhooks
    </Link>
  )
}
