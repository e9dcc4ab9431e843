import type { CreatedKey, Key } from '@spoor/contract/schemas/key'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { endSession } from '../api/change-session.ts'
import { keysQuery, revokeKey } from '../api/client/keys.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { TableHead } from '../ui/column-heads.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { useAction } from '../ui/use-action.ts'
import { ChangeLimits } from './key-limits.tsx'
import { KeyRow } from './key-row.tsx'
import { NewKey } from './new-key.tsx'
import { Section, TABLE } from './section.tsx'

export function Keys() {
  const { project_id, project_name } = useSession()
  const mayManage = useMay('manage', 'admin')
  const [making, setMaking] = useState(false)
  const [newest, setNewest] = useState<CreatedKey | null>(null)
  return (
    <Section
      title="API keys"
      text={
        <>
          API keys give access to the project <bdi className="text-ink font-medium">{project_name}</bdi>. Agents and
          tools send one in the header <code className="font-mono text-xs">x-api-key</code>. To replace a key, create a
          new one, switch your clients, then revoke the old one.
        </>
      }
      actions={
        mayManage && (
          <Button icon={Plus} variant="primary" onClick={() => setMaking(true)}>
            New key
          </Button>
        )
      }
    >
      {mayManage ? (
        <KeyTable newestId={newest?.id} />
      ) : (
        <EmptyState title="This key can't view API keys">
          Sign in with a key that has the scope manage (for its own project) or admin (for every project).
        </EmptyState>
      )}
      <NewKey projectId={project_id} open={making} onOpenChange={setMaking} onCreated={setNewest} />
    </Section>
  )
}

function KeyTable({ newestId }: { newestId: string | undefined }) {
  const { project_id, key_id } = useSession()
  const queryClient = useQueryClient()
  const query = useQuery(keysQuery(project_id))
  const { data: keys } = query
  const [limited, setLimited] = useState<Key | null>(null)
  const revoke = useAction((key: Key) => revokeKey(project_id, key.id), {
    // Revoking its own key ends the session.
    onSuccess: (_, { id }) => id === key_id && endSession(queryClient),
    refresh: [keysQuery(project_id).queryKey],
    said: (_, { id, name }) => (id === key_id ? undefined : `Key ${name} revoked`),
  })
  if (keys === undefined) return <Loading query={query} rows={4} />
  if (keys.length === 0) {
    return (
      <EmptyState title="No API keys yet">Create one. Without a key nothing can send data to this project.</EmptyState>
    )
  }
  return (
    <>
      <table className={TABLE}>
        <TableHead
          className="max-md:sr-only"
          of={['Name', 'Key', 'Scopes', 'Limits', 'Created', 'Expires', ['Actions', '', 'hidden']]}
        />
        <tbody>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              isOwn={key.id === key_id}
              isNew={key.id === newestId}
              busy={revoke.isPending}
              onLimit={() => setLimited(key)}
              onRevoke={() => revoke.mutate(key)}
            />
          ))}
        </tbody>
      </table>
      {limited !== null && <ChangeLimits projectId={project_id} apiKey={limited} onClose={() => setLimited(null)} />}
    </>
  )
}
