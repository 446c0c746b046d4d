-- The verbs are all there: from here on the door calls them by name. A later migration that adds some ends like this too.

call crm.bind_verbs();
