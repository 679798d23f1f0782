//! Today's on-call note, for main sessions in incident mode.

use standing_orders::plugin::*;

#[derive(Debug)]
pub(crate) struct OnCall {
    id: InjectorId,
}

impl OnCall {
    pub(crate) fn new() -> Self {
        Self { id: "on-call".into() }
    }
}

#[async_trait]
impl Injector for OnCall {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let wanted = context.class().is_main() && context.mode() == Some("incident");
        Ok(Wanted::These(match wanted {
            true => vec![Instruction::file("ops/on-call.txt")],
            false => Vec::new(),
        }))
    }
}
