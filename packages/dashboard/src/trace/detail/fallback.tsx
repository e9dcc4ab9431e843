import { Component, type ReactNode } from 'react'

interface FallbackProps {
  readonly to: ReactNode
  readonly children: ReactNode
}

/** Shows something plainer instead of what cannot be drawn: Markdown may nest too deep for whoever draws it. */
export class Fallback extends Component<FallbackProps, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.to : this.props.children
  }
}
