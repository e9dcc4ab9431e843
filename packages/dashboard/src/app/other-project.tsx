import { useMutation, useQueryClient } from '@tanstack/react-query'
import { endSession } from '../api/change-session.ts'
import { asApiError } from '../api/client/api-error.ts'
import { enterProject } from '../api/client/current-project.ts'
import { signOut } from '../api/client/session.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/states.tsx'

/** The address is of a project that does not exist or that the key of this session cannot use. */
export function OtherProject() {
  const queryClient = useQueryClient()
  const leave = useMutation({
    mutationFn: () => {
      enterProject(null)
      return signOut()
    },
    onSuccess: () => endSession(queryClient),
  })
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <EmptyState title="This project cannot be opened" of="h1">
        <p>It does not exist, or your key belongs to another project.</p>
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          <Button onClick={() => leave.mutate()} disabled={leave.isPending}>
            Sign in with another key
          </Button>
          {/* Not a route: the page begins anew in the project of the session. */}
          <a href="/" className="text-accent px-2 py-1 underline">
            Open your own project
          </a>
        </div>
        {leave.error !== null && <p className="text-fail mt-3">{asApiError(leave.error).message}</p>}
      </EmptyState>
    </main>
  )
}
