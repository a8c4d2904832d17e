import * as react from 'react/jsx-runtime'
import { literalProps, visibleProps } from './visible-props.ts'

export { Fragment, type JSX } from 'react/jsx-runtime'

export const jsx: typeof react.jsx = (type, props, key) =>
  react.jsx(type, literalProps(type, visibleProps(props)), key)
export const jsxs: typeof react.jsxs = (type, props, key) =>
  react.jsxs(type, literalProps(type, visibleProps(props)), key)
