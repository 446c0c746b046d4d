import { defineRouteMiddleware } from "@astrojs/starlight/route-data";

/**
 * Shows only operations in the sidebar of a reference page, and only guides in that of any other page, because together
 * they would be 130 links. The last group of the sidebar is the reference.
 */
export const onRequest = defineRouteMiddleware(({ locals: { starlightRoute: route } }) => {
  const isReference = /^(en\/)?reference(\/|$)/.test(route.id);
  const reference = route.sidebar.at(-1)!;
  if (!isReference) route.sidebar = route.sidebar.slice(0, -1);
  else if (reference.type === "group") route.sidebar = reference.entries;
});
