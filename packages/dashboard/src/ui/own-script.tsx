import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

interface Loading {
  /** Shown until the script is loaded. */
  readonly meanwhile: ReactNode
}

/**
 * A component that is in a script of its own. Throws what `load` rejects with when it is rendered. Unlike the fallback
 * of `lazy`, which stays for 300 ms, `meanwhile` is replaced as soon as the script is loaded.
 */
export function ownScript<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: { readonly Component: ComponentType<Props> } | null = null
  return function OwnScript({ meanwhile, ...props }: Props & Loading) {
    const [result, setResult] = useState<typeof loaded | { readonly error: unknown }>(loaded)
    useEffect(() => {
      if (loaded !== null) return setResult(loaded)
      load().then(
        (Component) => setResult((loaded = { Component })),
        (error: unknown) => setResult({ error }),
      )
    }, [])
    if (result === null) return meanwhile
    if ('error' in result) throw result.error
    return <result.Component {...(props as unknown as Props)} />
  }
}
